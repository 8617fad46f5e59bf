// usage: groovy declarative.groovy < JENKINSFILE
// Runs a Declarative Pipeline as far as it can be run without Jenkins: the text is
// compiled, each word must be one that may stand in its block (the Pipeline Syntax
// chapter of the Jenkins handbook has them), and what the steps would run in a shell is
// printed as JSON.
import groovy.json.JsonOutput
import org.codehaus.groovy.control.CompilerConfiguration

class Block {
  static final Map<String, List<String>> WORDS = [
    file       : ['pipeline'],
    pipeline   : ['agent', 'environment', 'options', 'parameters', 'post', 'stages', 'tools', 'triggers'],
    agent      : ['docker', 'label'],
    docker     : ['args', 'image', 'label'],
    environment: ['credentials'],
    options    : ['buildDiscarder', 'disableConcurrentBuilds', 'retry', 'timeout', 'timestamps'],
    triggers   : ['cron', 'pollSCM', 'upstream'],
    stages     : ['stage'],
    stage      : ['agent', 'environment', 'options', 'post', 'stages', 'steps', 'when'],
    when       : ['branch', 'buildingTag', 'changeRequest', 'changeset', 'environment', 'tag'],
    steps      : ['archiveArtifacts', 'echo', 'junit', 'sh', 'stash', 'unstash'],
    post       : ['aborted', 'always', 'changed', 'cleanup', 'failure', 'fixed', 'success', 'unstable', 'unsuccessful'],
  ]

  static final Map<String, List<String>> NEEDED = [pipeline: ['agent', 'stages'], stages: ['stage'], stage: ['steps'], docker: ['image']]

  private final String kind
  private final Map found
  private final Set<String> seen = []

  Block(String kind, Map found) {
    this.kind = kind
    this.found = found
  }

  def methodMissing(String name, Object args) {
    List<String> words = WORDS.getOrDefault(kind, [])
    if (!words.contains(name)) {
      throw new IllegalArgumentException("${kind}: ${name} may not stand here: want one of ${words.join(', ')}")
    }
    if (!(seen.add(name) || name in ['stage', 'credentials'] || kind == 'steps')) {
      throw new IllegalArgumentException("${kind}: ${name} stands twice")
    }
    List all = args as List
    if (all && all.last() instanceof Closure) {
      into(kind == 'post' ? 'steps' : name, all.last())
      return null
    }
    if (WORDS.containsKey(name) && name != 'environment' || all.empty && name != 'timestamps') {
      throw new IllegalArgumentException("${kind}: ${name} has nothing in it")
    }
    if (name == 'sh') {
      found.sh << all[0].toString()
    } else if (name in ['junit', 'archiveArtifacts']) {
      found.files << all[0].toString()
    }
    return name == 'credentials' ? 'secret' : null
  }

  void into(String kind, Closure body) {
    Block inner = new Block(kind, found)
    body.delegate = inner
    body.resolveStrategy = Closure.DELEGATE_ONLY
    body()
    NEEDED.getOrDefault(kind, []).each {
      if (!inner.@seen.contains(it)) { throw new IllegalArgumentException("${kind}: ${it} is missing") }
    }
  }

  void propertyMissing(String name, Object value) {
    if (kind != 'environment') {
      throw new IllegalArgumentException("${kind}: ${name} is assigned to: only environment holds variables")
    }
    found.environment[name] = value.toString()
  }

  def propertyMissing(String name) {
    if (name == 'env') { return [BUILD_NUMBER: '7'] + found.environment }
    throw new IllegalArgumentException("${kind}: ${name} is not known here")
  }
}

Block file = new Block('file', [environment: [:], sh: [], files: []])
CompilerConfiguration configuration = new CompilerConfiguration(scriptBaseClass: DelegatingScript.name)
DelegatingScript script = (DelegatingScript) new GroovyShell(this.class.classLoader, new Binding(), configuration).parse(System.in.newReader(), 'Jenkinsfile')
script.setDelegate(file)
script.run()
if (!file.@seen) { throw new IllegalArgumentException('file: pipeline is missing') }
println JsonOutput.toJson(file.@found)
