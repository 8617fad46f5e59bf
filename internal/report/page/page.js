"use strict";
// Looks evaluations up. Every text from a record is set as text, never as markup.
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const form = byId("find"), list = byId("list"), found = byId("found"), more = byId("more"), article = byId("transcript");
  const step = 50;
  const names = ["q", "level", "category", "flag", "code", "model", "track", "arch"];
  const hidden = ["kind", "group", "set", "attack", "end"];
  const groups = { "1": ["l1"], "2-4": ["l2", "l3", "l4"], "5": ["l5"] };
  let extra = {}, shown = 0, current = "", asked = 0;

  const element = (name, className, text) => {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

  // What an evaluation is searched by, made when it is first asked for.
  const texts = new Map();
  const textOf = (t) => {
    if (!texts.has(t)) texts.set(t, (JSON.stringify(t) + "\n" + (data.messages[t.attack] || []).join("\n")).toLowerCase());
    return texts.get(t);
  };
  const matches = (t, f) => {
    if (f.level && !f.level.split(",").includes(t.cell.level)) return false;
    if (f.group && !(groups[f.group] || []).includes(t.cell.level) && !(f.group === "recorded" && t.cell.track === "recorded")) return false;
    if (f.set === "benign" && t.cell.track !== "benign") return false;
    if (f.set === "attacks" && !["single", "multi", "recorded"].includes(t.cell.track)) return false;
    if (f.category && t.category !== f.category) return false;
    if (f.flag && !t.flags.includes(f.flag)) return false;
    if (f.code && !(t.codes || []).includes(f.code)) return false;
    if (f.model && t.cell.model !== f.model) return false;
    if (f.track && t.cell.track !== f.track) return false;
    if (f.arch && t.cell.architecture !== f.arch) return false;
    if (f.kind && t.kind !== f.kind) return false;
    if (f.attack && t.attack !== f.attack) return false;
    if (f.end && t.end !== f.end) return false;
    return !f.q || textOf(t).includes(f.q.toLowerCase());
  };

  // Two sources of evaluations with one shape: what the page carries, or the
  // server that it came from.
  const carried = {
    async find(f, offset) {
      const all = data.transcripts.filter((t) => matches(t, f));
      return { total: all.length, items: all.slice(offset, offset + step) };
    },
    async get(id) {
      const t = data.transcripts.find((x) => x.id === id);
      return t && { transcript: t, messages: data.messages[t.attack] };
    },
  };
  const served = {
    async find(f, offset) {
      const q = new URLSearchParams(Object.entries(f).filter(([, v]) => v));
      q.set("offset", offset);
      return ask("evaluations?" + q);
    },
    async get(id) { return ask("evaluation?" + new URLSearchParams({ id })); },
  };
  const ask = async (path) => {
    const r = await fetch(path);
    if (r.status === 404) return undefined;
    if (!r.ok) throw new Error(await r.text());
    return r.json();
  };
  const source = data.served ? served : carried;

  const filters = () => {
    const f = { ...extra };
    for (const name of names) f[name] = form.elements[name].value.trim();
    return f;
  };

  const row = (t) => {
    const li = element("li"), a = element("a");
    a.href = "#e=" + encodeURIComponent(t.id);
    if (t.id === current) a.setAttribute("aria-current", "true");
    a.append(element("span", "", t.id));
    const tags = element("span", "tags" + (t.flags.includes("unpermitted") || t.flags.includes("false_denial") ? " red" : ""));
    tags.textContent = [...t.flags.map((f) => f.replaceAll("_", " ")), ...(t.codes || [])].join(" · ");
    a.append(tags);
    li.append(a);
    return li;
  };

  const search = async (append) => {
    const f = filters(), mine = ++asked;
    const offset = append ? shown : 0;
    const { total, items } = await source.find(f, offset);
    if (mine !== asked) return;
    if (!append) list.replaceChildren();
    const before = list.childElementCount;
    for (const t of items) list.append(row(t));
    shown = offset + items.length;
    const also = hidden.filter((n) => extra[n]).map((n) => n + " " + extra[n]);
    found.textContent = (total === 0 ? "None" : grouped(total)) + (data.served ? " of the run's " + grouped(data.evaluations) + " evaluations" : " of the " + grouped(data.transcripts.length) + " evaluations in this page") +
      (also.length ? ", with " + also.join(", ") : "") + (total > shown ? "; the first " + grouped(shown) + " are listed" : "") + "." +
      (!data.served && data.transcripts.length < data.evaluations ? " The run has more than this page carries." : "");
    more.hidden = shown >= total;
    if (append && list.children[before]) list.children[before].firstChild.focus();
  };

  const block = (className, who, text) => {
    const li = element("li", className);
    li.append(element("p", "who", who));
    if (text) li.append(element("pre", "", text));
    return li;
  };
  const callBlock = (c, t) => {
    const moved = (t.transfers || []).find((x) => x.position === c.position);
    const state = moved && moved.unpermitted ? "unpermitted" : c.outcome;
    const li = block("call " + state, "Call " + c.position + ": " + c.tool + " · " + c.outcome.replaceAll("_", " ") + (c.class ? " · recipient is " + c.class : ""), c.arguments);
    for (const r of c.reasons || []) li.append(element("p", "note", (c.effect === "deny" ? "Denied: " : "Allowed: ") + r));
    if (c.refusal) li.append(element("p", "note", "The bank refused: " + c.refusal));
    if (moved) li.append(element("p", "note", "Posted: " + moved.text + (moved.unpermitted ? ", which the policy does not permit" : "")));
    if (c.result) {
      const d = element("details");
      d.append(element("summary", "", "What the tool answered"), element("pre", "", c.result));
      li.append(d);
    }
    return li;
  };

  const draw = (t, messages) => {
    article.replaceChildren();
    article.append(element("h3", "", t.id));
    const facts = element("dl", "facts");
    for (const [name, value] of [
      ["Outcome", t.flags.map((f) => f.replaceAll("_", " ")).join(", ")], ["Codes", (t.codes || []).join(", ")],
      ["End", t.end + (t.sub_reason ? ": " + t.sub_reason : "")], ["Detail", t.detail], ["Category", t.category], ["Meant as", t.technique],
      ["Session", t.session], ["Kind", t.kind], ["Twin of", t.twin], ["Language", t.lang], ["Date", t.date], ["Source", t.source],
    ]) {
      if (!value) continue;
      const div = element("div");
      div.append(element("dt", "", name), element("dd", "", value));
      facts.append(div);
    }
    article.append(facts);
    const turns = element("ol", "turns");
    const replies = t.replies || [], calls = t.calls || [];
    let said = messages;
    if (messages && (t.cell.track === "single" || t.cell.track.startsWith("last-"))) said = messages.slice(-1);
    const last = Math.max(said ? said.length : 0, ...replies.map((r) => r.turn), ...calls.map((c) => c.turn), 0);
    for (let turn = 1; turn <= last; turn++) {
      if (said && said[turn - 1] !== undefined) turns.append(block("user", "User, message " + turn, said[turn - 1]));
      const mine = calls.filter((c) => c.turn === turn), answers = replies.filter((r) => r.turn === turn);
      const asking = answers.filter((r) => r.finish === "tool_calls");
      for (const r of answers) {
        if (r.text || r.finish !== "tool_calls") turns.append(block("model", "Banker" + (r.finish === "tool_calls" ? ", with calls" : ", " + r.finish) + (r.prose ? " · holds a transfer as text, which executes nothing" : ""), r.text || "(no text)"));
        if (r.finish !== "tool_calls") continue;
        const n = r === asking[asking.length - 1] ? mine.length : asking.length === mine.length ? 1 : 0;
        for (const c of mine.splice(0, n)) turns.append(callBlock(c, t));
      }
      for (const c of mine) turns.append(callBlock(c, t));
    }
    if (!messages) article.append(element("p", "note", "What the user wrote is not to be had here."));
    article.append(turns);
    article.hidden = false;
  };

  const open = async (id) => {
    const got = await source.get(id);
    current = id;
    for (const a of list.querySelectorAll("a")) {
      if (a.hash === "#e=" + encodeURIComponent(id)) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
    }
    if (got) {
      draw(got.transcript, got.messages);
    } else {
      article.replaceChildren(element("h3", "", id), element("p", "", data.served ? "The run has no such evaluation." : "This page does not carry this evaluation: it stands in evaluations.jsonl, and go tool vault serve shows it."));
      article.hidden = false;
    }
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: "start" });
  };

  const follow = async () => {
    const hash = location.hash.slice(1);
    if (hash.startsWith("find?")) {
      const q = new URLSearchParams(hash.slice(5));
      form.reset();
      extra = {};
      for (const [name, value] of q) {
        if (hidden.includes(name)) extra[name] = value;
        if (names.includes(name)) form.elements[name].value = value;
      }
      await search(false);
      byId("evaluations").scrollIntoView({ block: "start" });
      byId("q").focus({ preventScroll: true });
    } else if (hash.startsWith("e=")) {
      await open(new URLSearchParams(hash).get("e"));
    }
  };

  const failed = (e) => { found.textContent = "Could not look that up: " + e.message; };
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => search(false).catch(failed), data.served ? 250 : 60);
  });
  form.addEventListener("reset", () => { extra = {}; setTimeout(() => search(false).catch(failed)); });
  form.addEventListener("submit", (e) => { e.preventDefault(); search(false).catch(failed); });
  more.addEventListener("click", () => search(true).catch(failed));
  window.addEventListener("hashchange", () => follow().catch(failed));
  window.addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("main > section details")) d.open = true; });
  form.hidden = false;
  data.transcripts = data.transcripts || [];
  data.messages = data.messages || {};
  search(false).then(follow).catch(failed);
})();
