package condition

// call compiles the call of a registered Go function.
func (b *binder) call(n *call) (compiled, error) {
	f, ok := b.scope.Functions[n.name]
	if !ok {
		return compiled{}, fail(n.column(), ErrUnknownFunction, "%s", n.name)
	}
	if len(n.args) != len(f.Params) {
		return compiled{}, fail(n.column(), ErrType, "%s takes %d arguments, not %d", n.name, len(f.Params), len(n.args))
	}
	gets := make([]getter, len(n.args))
	out := compiled{at: n.column(), typ: Type{Kind: f.Result}, ordered: f.Ordered}
	compile := b.compile
	if f.AbsentOK {
		compile = b.unneeded
	}
	for i, a := range n.args {
		c, err := compile(a)
		if err != nil {
			return compiled{}, err
		}
		if err := wants(c, f.Params[i]); err != nil {
			return compiled{}, err
		}
		gets[i] = c.value()
		out.looped = out.looped || c.looped
	}
	out.get = func(e *Env) (*Value, Result) { return f.run(e, gets) }
	return out, nil
}

func (f Func) run(e *Env, gets []getter) (*Value, Result) {
	args := make([]*Value, len(gets))
	for i, get := range gets {
		v, res := get(e)
		switch {
		case res == Absent && f.AbsentOK:
			continue
		case res != True:
			return nil, res
		case v.Kind != f.Params[i] && f.Params[i] != KindAny:
			return nil, Fault
		}
		args[i] = v
	}
	v, err := f.Call(args)
	if err != nil || v.Kind != f.Result && f.Result != KindAny {
		return nil, Fault
	}
	return made(v), True
}
