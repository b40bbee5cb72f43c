/** Names of scripts, manifests and files of build tools. */
import type { Shape } from './shape.ts';
import { folders, prefix, rooms, stages } from './words.ts';

export const develop: readonly Shape[] = [
  {
    id: 'dev-file',
    category: 'develop',
    why: 'A file of a build or deployment tool by its fixed name without an extension.',
    patterns: [
      `${rooms(1)}(?:(?:docker|container|jenkins|vagrant|proc|cap|guard|brew|tilt|earth|app|match|fast|deliver|snap|gym|mint|danger|berks|chef|puppet|salt|gnumake|just|gem|rake|pip|make|dev)file(?:[._-](?:${stages}|[0-9]{1,2}|web|api|worker|base|build|builder|deploy|ci|alpine|debian|ubuntu|centos|gpu|cpu|cuda|arm(?:64|hf|v[67])?|amd64|old|bak))?|(?:docker|git|npm|chef|helm|slug|gcloud|sls|git-ftp-)ignore|capfile|config\\.ru|cpanfile|dune-project|gradlew|mvnw|rust-toolchain|captain-definition|kustomization|running_pid|version_lock|(?:svn|git|hg)\\.(?:revision|rev|commit)|fstab|mtab|inittab|rc\\.local|hosts\\.(?:allow|deny|equiv)|wget-log|(?:capistrano|deploy|unicorn|puma|schedule|schema|environment|env|compass|sidekiq|production|development|staging|application|boot|initializers?|secrets|test_helper|rails_helper|spec_helper)\\.rb|env\\.(?:list|vars))$`,
      `${rooms(2)}requirements/[a-z0-9_-]+\\.txt$`,
    ],
    matches: [
      '/Dockerfile-prod',
      '/Brewfile',
      '/dockerignore',
      '/requirements/production.txt',
      '/app/Guardfile',
      '/Containerfile',
      '/capistrano.rb',
      '/env.list',
      '/Dockerfile.2',
      '/production.rb',
    ],
    nearMisses: [
      '/docs/dockerfile',
      '/profile',
      '/appfiles',
      '/requirements',
      '/owner/name/blob/main/Dockerfile',
      '/datafile',
    ],
  },
  {
    id: 'dev-server',
    category: 'develop',
    why: 'A source file of the part that runs on the server, which pages do not load.',
    patterns: [
      `${folders(1)}(?:server|backend|api-server)/(?:[^/@]+/){0,2}[^/@]+\\.(?:[cm]?js|ts|py|rb|go)$`,
      `${folders(1)}[^/@]+\\.(?:coffee|cs|vb|ascx|jl|bas|erl|clj|pas|cmake|symvers)$|^/(?:m4/)?[^/@]+\\.m4$|^/(?:makefile|configure|config\\.h)\\.(?:in|am|ac)$`,
    ],
    matches: ['/server/server.js', '/backend/src/app.ts', '/components/login.ascx', '/Gruntfile.coffee'],
    nearMisses: ['/src/app.js', '/docs/server.js', '/a/b/c/x.cs', '/scripts/x.rb', '/server/', '/cs'],
  },
  {
    id: 'dev-script',
    category: 'develop',
    why: 'A shell script at the root or in a folder of an application: it shows how the server is built, with addresses and passwords.',
    patterns: [
      // Names that begin with get or ins (install.sh), and those with a hyphen (rustup-init.sh), are published for visitors to run.
      `^/(?:[^gi/@-]|g[^e/@-]|ge[^t/@-]|i[^n/@-]|in[^s/@-])[^/@-]*\\.(?:sh|bash|ksh|zsh|bat|cmd|ps1|psm1|vbs)$`,
      `${rooms(2)}(?:bin/)?${prefix}(?:reset|setup|deploy(?:ment)?|backup|restore|start(?:up)?|stop|restart|run|update|upgrade|sync|dump|migrate|build|cron|entrypoint|test|config|env|provision|cleanup|monitor)(?:[._-][a-z0-9]+)*\\.(?:sh|bash|bat|cmd|ps1)$`,
      '^/(?:[a-z0-9]+-)*(?:boilerplate|benchmark|binaries|check|checker|clean|cluster|completion|configure|copy|delete|dev|down|dump|e2e|generate|gen|helper|image|integration|kube|kubectl|list|local|make|master|merge|mkimage|node|parse|patch|prod|push|rebuild|release|save|server|staging|stop|test|tests|unittest|up|util|utils|verify|worker)(?:-[a-z0-9]+)*\\.(?:sh|bash|bat|cmd|ps1)$',
      '^/(?:[^/@]+/)?(?:cgi-(?:bin|dos|win|local|sys)|te?mp)/(?:[^/@]+/){0,2}[^/@]+\\.(?:sh|bat)$',
    ],
    matches: [
      '/setup.sh',
      '/backup.sh',
      '/scripts/deploy.sh',
      '/run-tests.bat',
      '/tool.ps1',
      '/db-dump.sh',
      '/kube-up.sh',
      '/cgi-bin/webif.sh',
    ],
    nearMisses: [
      '/install.sh',
      '/get-tool.sh',
      '/docs/setup.sh',
      '/setup',
      '/owner/name/raw/x.sh',
      '/install.ps1',
      '/rustup-init.sh',
      '/get-docker.sh',
    ],
  },
  {
    id: 'dev-script-any',
    category: 'develop',
    size: 'extended',
    why: 'Any shell script. Sites that offer scripts to visitors, such as /install.sh, must stay with builtinRules standard.',
    patterns: [`${folders(3)}[^/@]+\\.(?:sh|bash|ksh|zsh|bat|cmd|ps1|psm1|vbs)$`],
    matches: ['/install.sh', '/get-tool.sh', '/files/x.ps1', '/a/b/c/run.bat'],
    nearMisses: ['/owner/name/blob/main/x.sh', '/npm/pkg@1/x.sh', '/install', '/sh'],
  },
  {
    id: 'dev-package',
    category: 'develop',
    why: 'A manifest or lock file at the root or in a folder of an application: exact versions of libraries, so that known bugs can be chosen.',
    patterns: [
      `${rooms(2)}(?:composer(?:-dev|[._-]local)?\\.json|composer\\.phar|(?:composer/)?installed\\.(?:json|php)|bun\\.lockb?|[a-z0-9_-]+\\.lock(?:file)?|gemfile|pipfile|rakefile|makefile|procfile|cmakelists\\.txt|(?:requirements|constraints)(?:[_-][a-z0-9]+)?\\.txt|go\\.(?:mod|sum|work)|pom\\.xml|(?:build|settings)\\.(?:sbt|xml|boot)|[a-z0-9_-]+\\.gradle(?:\\.kts)?|cakefile|gradlew|mvnw|mix\\.exs|pubspec\\.[a-z]+|podfile|cartfile|package\\.(?:swift|json|xml)|[^/@]+\\.(?:csproj|vbproj|fsproj|sln|nuspec|gemspec|cabal|opam|rockspec|podspec|lockfile|esproj|njsproj|jsproj|sqlproj|wixproj|pbxproj|xcworkspace|iml)|packages\\.config|paket\\.[a-z]+|project\\.(?:json|clj)|(?:bower|lerna|nx|rush|turbo|angular|angular-cli|nodemon|now|vercel|deno|vcpkg|component|tsconfig[a-z.-]*)\\.jsonc?|conanfile\\.(?:txt|py)|setup\\.(?:py|cfg))$`,
      '/vendor/composer/installed\\.(?:json|php)$',
    ],
    matches: [
      '/vendor/composer/installed.json',
      '/libs.gradle',
      '/bun.lockb',
      '/app/composer.json',
      '/src/App.csproj',
      '/web/go.mod',
      '/Gemfile',
    ],
    nearMisses: [
      '/w/composer.json',
      '/npm/pkg@1/package.json',
      '/docs/makefile',
      '/lock',
      '/guides/setup.py',
      '/ckeditor/bower.json',
    ],
  },
];
