/**
 * Every setting, listed once. The values of the configuration and their types, the help of the commands and the table
 * of docs/settings.md come from here.
 */
import { SERVER_ROLES } from '../core/agent/server/server.ts'
import { SCALINGS } from '../core/deployment/kubernetes-settings.ts'
import { RUNTIMES } from '../core/deployment/runtime.ts'
import { LOG_LEVELS } from '../core/log.ts'
import {
  type Environment,
  matching,
  readAllowances,
  readApiKey,
  readArtifactsPlace,
  readCidrs,
  readDatabaseUrl,
  readDomain,
  readEncryptionKeys,
  readHosts,
  readInstallation,
  readIssuer,
  readNamespace,
  readOrigins,
  readRegistryUrl,
  readRoles,
  readSandbox,
  type TYPES,
} from './values.ts'

/** `serve` includes `dev`. `project`: an agent server, which also reads the `env` of its project. */
export type Reader =
  | 'up'
  | 'serve'
  | 'project'
  | 'commands'
  | 'listener'
  | 'move'
  | 'backup'
  | 'restore'

type Value = string | number | boolean

export interface Setting {
  /** The environment variable. */
  name: string
  /** Its field in the configuration of its readers. Absent: `config.ts` makes a value from this and other settings. */
  field?: string
  /** In commander's form, if commands have a flag for it. */
  flag?: string
  /** A variable of other programs, which counts after this one. */
  after?: string
  /** Decides how its text is read. The value of a number with a unit is in ms or bytes; that of a path is absolute. */
  type: keyof typeof TYPES
  /** Reads the text in place of its type. Throws `bad_request` with a sentence that continues after the name. */
  read?: (text: string, row: Setting, env: Environment) => unknown
  /** It holds a key or a password: no refusal shows it, and `serve` removes it before it loads a project. */
  isSecret?: true
  /** Only for numbers: the smallest (default 1) and the largest allowed value, in the unit. */
  min?: number
  max?: number
  /** Only for choices. */
  values?: readonly string[]
  unit?: 'seconds' | 'minutes' | 'bytes' | 'MiB'
  /** The value when it is not set, in its unit: for all readers, or for those that differ. */
  default?: Value | { up: Value; serve: Value; listener?: Value }
  /** What happens when there is no value, in Markdown. Absent: `none`. */
  unset?: string
  readBy: readonly Reader[]
  /** `up` passes it to its agent servers, overriding the project's own. */
  isHandedOn?: true
  /** One sentence in Markdown. */
  meaning: string
}

export const SETTINGS = [
  {
    name: 'RUNYARD_HOST',
    field: 'host',
    flag: '--host <host>',
    type: 'text',
    default: '127.0.0.1',
    readBy: ['up', 'serve', 'listener'],
    meaning: 'where it listens',
  },
  {
    name: 'RUNYARD_PORT',
    field: 'port',
    flag: '--port <port>',
    type: 'port',
    after: 'PORT',
    default: { up: 8124, serve: 2024 },
    readBy: ['up', 'serve', 'listener'],
    meaning: 'the port (0: any free port, which workers always use)',
  },
  {
    name: 'RUNYARD_DATA_DIR',
    field: 'dataDir',
    flag: '--data-dir <folder>',
    type: 'path',
    default: { up: '.runyard', serve: '.runyard/serve', listener: '.runyard/listener' },
    readBy: ['up', 'serve', 'commands', 'move', 'backup', 'restore', 'listener'],
    meaning: 'everything that Runyard writes',
  },
  {
    name: 'RUNYARD_DATABASE_URL',
    field: 'databaseUrl',
    flag: '--database-url <url>',
    type: 'url',
    read: readDatabaseUrl,
    isSecret: true,
    unset: 'none: SQLite in the data folder',
    readBy: ['up', 'serve', 'move', 'backup', 'restore', 'listener'],
    meaning:
      '`postgres://…`: all state is kept there ([docs/postgres.md](postgres.md)); better a variable than a flag, for its password',
  },
  {
    name: 'RUNYARD_AGENT_DATABASE_URL',
    field: 'agentDatabaseUrl',
    type: 'url',
    read: readDatabaseUrl,
    isSecret: true,
    unset: '`RUNYARD_DATABASE_URL`',
    readBy: ['up', 'listener'],
    meaning:
      'the same database as agent servers reach it: needed where those are containers or pods and `RUNYARD_DATABASE_URL` leads to the loopback ([docs/docker.md](docker.md#databases))',
  },
  {
    name: 'RUNYARD_AGENT_DATABASE_ROLES',
    field: 'agentDatabaseRoles',
    type: 'choice',
    values: ['own', 'shared'],
    default: 'own',
    readBy: ['up', 'listener'],
    meaning:
      'as whom agent servers in containers and pods log in to PostgreSQL: `own` as a role of their deployment, which can read nothing else ([docs/postgres.md](postgres.md#roles-of-deployments)); `shared` as the control plane’s user, with which the code of a graph reads everything',
  },
  {
    name: 'RUNYARD_MOVE_TO',
    field: 'to',
    flag: '--to <where>',
    type: 'text',
    isSecret: true,
    readBy: ['move'],
    meaning:
      'where [`move`](backup.md) puts everything: `postgres://…`, or `sqlite:` for the data folder; better a variable than a flag, for its password',
  },
  {
    name: 'RUNYARD_BACKUP_TO',
    field: 'to',
    flag: '--to <where>',
    type: 'text',
    default: '.',
    readBy: ['backup'],
    meaning:
      'where [`backup`](backup.md) puts its file: a folder or the file itself, `s3://bucket/prefix` as for `RUNYARD_ARTIFACTS_URL`, or `-` for standard output',
  },
  {
    name: 'RUNYARD_URL',
    flag: '--url <url>',
    type: 'url',
    default: 'http://127.0.0.1:8124',
    readBy: ['commands', 'listener', 'serve'],
    meaning: 'the control plane that [commands](cli.md) talk to',
  },
  {
    name: 'RUNYARD_API_KEY',
    flag: '--api-key <key>',
    type: 'text',
    read: readApiKey,
    isSecret: true,
    unset: 'the admin key in the data folder of a Runyard on this machine',
    readBy: ['commands', 'listener', 'serve'],
    meaning: 'the key that commands send',
  },
  {
    name: 'RUNYARD_ADMIN_KEY',
    field: 'adminKey',
    type: 'text',
    read: matching(/^[\x21-\x7e]{8,512}$/, '8 to 512 printable characters without spaces'),
    isSecret: true,
    unset: 'made at the first start, kept in `<data dir>/admin.key`',
    readBy: ['up'],
    meaning: 'the first API key, role admin; 8 to 512 printable characters',
  },
  {
    name: 'RUNYARD_ENCRYPTION_KEY',
    field: 'encryptionKey',
    type: 'text',
    read: (text: string) => readEncryptionKeys(text)[0],
    isSecret: true,
    unset: 'made when first needed, kept in `<data dir>/encryption.key`',
    readBy: ['up', 'serve', 'backup', 'restore'],
    meaning:
      '32 bytes in base64: encrypts secrets, OAuth tokens and push credentials in the database',
  },
  {
    name: 'RUNYARD_ENCRYPTION_KEY_OLD',
    field: 'oldEncryptionKeys',
    type: 'list',
    read: readEncryptionKeys,
    isSecret: true,
    readBy: ['up', 'serve', 'backup', 'restore'],
    meaning:
      'previous keys, separated by commas; `up` re-encrypts data with the new key at its start',
  },
  {
    name: 'RUNYARD_OIDC_ISSUER',
    type: 'url',
    read: readIssuer,
    unset: 'none: only API keys are taken',
    readBy: ['up'],
    meaning:
      'whose signed tokens people may use ([docs/people.md](people.md#people-signed-tokens))',
  },
  {
    name: 'RUNYARD_OIDC_AUDIENCE',
    type: 'text',
    readBy: ['up'],
    meaning: 'the audience that those tokens must name (`aud`); set together with the issuer',
  },
  {
    name: 'RUNYARD_OIDC_CLIENT_ID',
    type: 'text',
    unset: 'none: people sign in to the dashboard with keys',
    readBy: ['up'],
    meaning:
      'the client as which the dashboard is known to the issuer, so that people sign in there ([docs/dashboard.md](dashboard.md#your-identity-provider))',
  },
  {
    name: 'RUNYARD_OIDC_CLIENT_SECRET',
    type: 'text',
    isSecret: true,
    unset: 'none: a public client',
    readBy: ['up'],
    meaning: "that client's secret",
  },
  {
    name: 'RUNYARD_OIDC_SCOPES',
    type: 'text',
    default: 'openid profile email',
    readBy: ['up'],
    meaning: 'the scopes to request from the issuer, separated by spaces',
  },
  {
    name: 'RUNYARD_OIDC_ROLE_CLAIM',
    type: 'text',
    default: 'roles',
    readBy: ['up'],
    meaning: 'the claim of a token that names the roles',
  },
  {
    name: 'RUNYARD_OIDC_ROLES',
    type: 'text',
    read: readRoles,
    unset: 'the roles by their own names',
    readBy: ['up'],
    meaning: 'which value of that claim gives which role: `platform-team=admin,*=viewer`',
  },
  {
    name: 'RUNYARD_OIDC_WORKSPACE_CLAIM',
    type: 'text',
    unset: 'none: the first workspace',
    readBy: ['up'],
    meaning: "the claim with the ids of the user's workspaces",
  },
  {
    name: 'RUNYARD_OIDC_CLOCK_SKEW_SECS',
    type: 'number',
    min: 0,
    max: 300,
    unit: 'seconds',
    default: 30,
    readBy: ['up'],
    meaning: "how far the issuer's clock may differ from this one",
  },
  {
    name: 'RUNYARD_OAUTH_PROVIDERS',
    field: 'oauthProvidersFile',
    type: 'path',
    readBy: ['up'],
    meaning:
      'a JSON file with the [OAuth providers](oauth.md#providers-of-the-operator) that every workspace has',
  },
  {
    name: 'RUNYARD_OAUTH_ALLOW',
    field: 'oauthAllow',
    type: 'ranges',
    readBy: ['up'],
    meaning:
      'which OAuth providers and MCP servers may be asked although they are not public, without TLS too: addresses, ranges, `loopback`, `private`',
  },
  {
    name: 'RUNYARD_TLS_CERT',
    type: 'path',
    readBy: ['up', 'serve', 'listener'],
    meaning:
      'the certificate in PEM, with which it speaks TLS where it listens, HTTP/2 and HTTP/1.1 ([docs/tls.md](tls.md))',
  },
  {
    name: 'RUNYARD_TLS_KEY',
    type: 'path',
    readBy: ['up', 'serve', 'listener'],
    meaning: 'its private key in PEM; set together with the certificate',
  },
  {
    name: 'RUNYARD_PUBLIC_URL',
    field: 'publicUrl',
    type: 'url',
    unset: 'where it listens',
    readBy: ['up', 'serve', 'listener'],
    isHandedOn: true,
    meaning:
      'the base of the URLs that it hands out, when it stands [behind a proxy](tls.md#behind-a-proxy)',
  },
  {
    name: 'RUNYARD_INTERNAL_URL',
    field: 'internalUrl',
    type: 'url',
    unset: 'where it listens',
    readBy: ['up'],
    meaning:
      'where other `up` of the same PostgreSQL reach this one ([docs/postgres.md](postgres.md#two-control-planes))',
  },
  {
    name: 'RUNYARD_AGENTS_URL',
    field: 'agentsUrl',
    type: 'url',
    unset: '`RUNYARD_INTERNAL_URL`, or where it listens',
    readBy: ['up'],
    meaning:
      'where agents on other machines reach the control plane, whichever leads: the Service before them ([docs/kubernetes.md](kubernetes.md))',
  },
  {
    name: 'RUNYARD_DOMAIN',
    field: 'domain',
    type: 'text',
    read: readDomain,
    readBy: ['up'],
    meaning:
      'a domain whose subdomains lead here: the deployment `support` answers at `support.<domain>` too, without a prefix; `_` in names is written `-`',
  },
  {
    name: 'RUNYARD_KEPT_REVISIONS',
    field: 'keptRevisions',
    type: 'number',
    max: 9999,
    default: 5,
    readBy: ['up'],
    meaning:
      'how many deployed revisions of a deployment keep their build and tarball: a rollback to one of them takes no longer than a process start',
  },
  {
    name: 'RUNYARD_START_TIMEOUT_SECS',
    field: 'startTimeoutMs',
    type: 'number',
    max: 3600,
    unit: 'seconds',
    default: 300,
    readBy: ['up', 'listener'],
    meaning:
      'how long an agent server may take from its start, with all that its project imports, until it answers ([docs/states.md](states.md#a-start-that-takes-long))',
  },
  {
    name: 'RUNYARD_DRAIN_SECS',
    field: 'drainMs',
    type: 'number',
    max: 9_999_999,
    unit: 'seconds',
    default: 60,
    readBy: ['up', 'listener'],
    meaning:
      'how long runs and streams of a replaced revision go on in it; then they are handed on to the new one',
  },
  {
    name: 'RUNYARD_IDLE_SECS',
    field: 'idleMs',
    type: 'number',
    max: 9_999_999,
    unit: 'seconds',
    default: 300,
    readBy: ['up'],
    meaning: 'after how long without a request a deployment with `min_scale` 0 sleeps',
  },
  {
    name: 'RUNYARD_FIGURES_SECS',
    field: 'figuresStepMs',
    type: 'number',
    max: 3600,
    unit: 'seconds',
    default: 30,
    readBy: ['up'],
    meaning: 'in which steps [figures](operations.md#figures) of the last day are kept',
  },
  {
    name: 'RUNYARD_EXAMPLE',
    field: 'isExampleWanted',
    type: 'switch',
    default: true,
    readBy: ['up'],
    meaning: '`0`: do not deploy the example agent',
  },
  {
    name: 'RUNYARD_DASHBOARD',
    field: 'isDashboardWanted',
    type: 'switch',
    default: true,
    readBy: ['up', 'serve'],
    meaning:
      '`0`: no dashboard at `/`, and no Studio of `serve` and `dev` ([docs/dashboard.md](dashboard.md))',
  },
  {
    name: 'RUNYARD_BUILD_TIMEOUT_SECS',
    field: 'buildTimeoutMs',
    type: 'number',
    max: 9_999_999,
    unit: 'seconds',
    default: 900,
    readBy: ['up'],
    meaning: 'how long one command of a build may take; then it is ended',
  },
  {
    name: 'RUNYARD_BUILD_MEMORY_MB',
    field: 'buildMemoryBytes',
    type: 'number',
    max: 9_999_999,
    unit: 'MiB',
    default: 4096,
    readBy: ['up'],
    meaning: 'how much memory one command of a build and all that it starts may use',
  },
  {
    name: 'RUNYARD_BUILD_CPUS',
    field: 'buildCpus',
    type: 'number',
    max: 1024,
    default: 2,
    readBy: ['up'],
    meaning: 'how many processors a build may use in its container (`docker`, `kubernetes`)',
  },
  {
    name: 'RUNYARD_ARTIFACTS_URL',
    field: 'artifactsPlace',
    type: 'url',
    read: readArtifactsPlace,
    unset: 'the data folder of this machine',
    readBy: ['up', 'backup', 'restore'],
    meaning:
      'where uploaded tarballs and built folders are kept for several machines: `s3://bucket/prefix?endpoint=…&region=…`, with the usual `AWS_*` variables, or `file:///folder` of a file system that all of them mount ([docs/artifacts.md](artifacts.md))',
  },
  {
    name: 'RUNYARD_RUNTIME',
    field: 'runtime',
    type: 'choice',
    values: RUNTIMES,
    default: 'process',
    readBy: ['up', 'listener'],
    meaning:
      'what runs the agent servers of deployments: `process`, as child processes; `docker`, in containers ([docs/docker.md](docker.md)); `kubernetes`, as pods of a cluster',
  },
  {
    name: 'RUNYARD_REGISTRY_URL',
    type: 'url',
    read: readRegistryUrl,
    readBy: ['up'],
    meaning:
      'the registry, with a folder in it, for images that are pushed to Runyard and that it builds ([docs/images.md](images.md#a-registry-of-your-own))',
  },
  {
    name: 'RUNYARD_REGISTRY_USER',
    type: 'text',
    read: matching(/^[^:]*$/, 'a name without a colon'),
    default: 'oauth2accesstoken',
    readBy: ['up'],
    meaning: 'the name with which Runyard pulls from that registry, and pushes to it',
  },
  {
    name: 'RUNYARD_REGISTRY_PASSWORD',
    type: 'text',
    isSecret: true,
    unset: 'none: the registry takes everyone',
    readBy: ['up'],
    meaning: 'the password or token that goes with the name',
  },
  {
    name: 'RUNYARD_REGISTRY_PUSH_USER',
    type: 'text',
    read: matching(/^[^:]*$/, 'a name without a colon'),
    default: 'oauth2accesstoken',
    readBy: ['up'],
    meaning:
      'the name with which people push to that registry; clients before langgraph-cli 0.4.40 know no other than the default',
  },
  {
    name: 'RUNYARD_REGISTRY_PUSH_PASSWORD',
    type: 'text',
    isSecret: true,
    unset: 'none',
    readBy: ['up'],
    meaning: 'the password that `push-token` gives to callers who may deploy: it may only push',
  },
  {
    name: 'RUNYARD_REGISTRY_ALLOW',
    field: 'registryAllow',
    type: 'ranges',
    readBy: ['up'],
    meaning:
      'which registries of others may be asked although they are not public: addresses, ranges, `loopback`, `private`',
  },
  {
    name: 'RUNYARD_DOCKER_HOST',
    type: 'text',
    after: 'DOCKER_HOST',
    read: matching(/^(unix:\/\/\/.|(tcp|http):\/\/[^/]+\/?$)/, 'unix:///PATH or tcp://HOST:PORT'),
    unset: '`DOCKER_HOST`, else the usual socket of Docker or podman',
    readBy: ['up', 'listener'],
    meaning:
      'the container engine of the driver `docker`: `unix:///…` or `tcp://HOST:PORT`; with `kubernetes` and a registry, the one that builds ([docs/kubernetes-runtime.md](kubernetes-runtime.md#an-image-of-the-projects-own))',
  },
  {
    name: 'RUNYARD_DOCKER_CERTS',
    type: 'path',
    unset:
      '`DOCKER_CERT_PATH` or `~/.docker` where `DOCKER_TLS_VERIFY` is set, else none: without TLS',
    readBy: ['up', 'listener'],
    meaning:
      'a folder with `ca.pem`, `cert.pem` and `key.pem`: an engine at `tcp://` is then asked over TLS, and shown the certificate',
  },
  {
    name: 'RUNYARD_DOCKER_NETWORK',
    type: 'text',
    unset: 'a network for each deployment',
    readBy: ['up', 'listener'],
    meaning:
      'a network of yours that all containers are on; Runyard then reaches them by their addresses there',
  },
  {
    name: 'RUNYARD_DOCKER_USER',
    type: 'text',
    read: matching(/^\d+:\d+$/, 'UID:GID, in numbers'),
    unset: 'the user of `up`, and `10001:10001` where that is root',
    readBy: ['up', 'listener'],
    meaning: 'whom agent servers run as in containers: `UID:GID`, in numbers',
  },
  {
    name: 'RUNYARD_PULL_TIMEOUT_SECS',
    type: 'number',
    max: 9_999_999,
    unit: 'seconds',
    default: 600,
    readBy: ['up', 'listener'],
    meaning: 'how long the container engine may take to pull an image (`docker`)',
  },
  {
    name: 'RUNYARD_IMAGE',
    field: 'image',
    type: 'text',
    default: 'runyard',
    readBy: ['up', 'listener'],
    meaning: "Runyard's own image, in which containers and pods run what was built from sources",
  },
  {
    name: 'RUNYARD_KUBECONFIG',
    type: 'path',
    unset: 'the cluster that Runyard runs in, by its service account',
    readBy: ['up', 'listener'],
    meaning:
      'the cluster of the runtime `kubernetes`: a kubeconfig ([docs/kubernetes.md](kubernetes.md))',
  },
  {
    name: 'RUNYARD_KUBERNETES_NAMESPACE',
    type: 'text',
    read: readNamespace,
    default: 'runyard-agents',
    readBy: ['up', 'listener'],
    meaning:
      'the namespace of agent servers; with `{workspace_id}` in it each workspace has one of its own, which is made when it is needed',
  },
  {
    name: 'RUNYARD_KUBERNETES_INSTALLATION',
    type: 'text',
    read: readInstallation,
    default: 'runyard',
    readBy: ['up', 'listener'],
    meaning:
      'a label by which this Runyard knows its objects; another one in the same cluster needs another',
  },
  {
    name: 'RUNYARD_KUBERNETES_ALLOW',
    type: 'list',
    read: readAllowances,
    unset: 'nothing of it',
    readBy: ['up', 'listener'],
    meaning:
      'what `resource_spec` may ask for beyond the usual: some of `any_user`, `csi`, `host_path`, `nfs`, `projected`, `service_account`',
  },
  {
    name: 'RUNYARD_KUBERNETES_SCALING',
    type: 'choice',
    values: SCALINGS,
    default: 'own',
    readBy: ['up', 'listener'],
    meaning:
      'who sets the number of pods: `own`, Runyard, by what waits; `hpa`, a HorizontalPodAutoscaler on `runyard_runs_waiting`',
  },
  {
    name: 'RUNYARD_KUBERNETES_INGRESS_FROM',
    type: 'list',
    read: readCidrs,
    unset: "the control plane's pods only; anybody where it runs outside of the cluster",
    readBy: ['up', 'listener'],
    meaning: 'who else reaches agent servers: addresses and CIDR ranges, separated by commas',
  },
  {
    name: 'RUNYARD_SANDBOX',
    field: 'sandbox',
    type: 'text',
    read: readSandbox,
    default: 'off',
    readBy: ['up'],
    meaning:
      "what keeps the code of projects away from the operator's files: `auto`, `bwrap`, `user:NAME`, or `user:NAME,bwrap` ([docs/operations.md](operations.md#sandbox))",
  },
  {
    name: 'RUNYARD_API_KEYS',
    field: 'apiKeys',
    type: 'list',
    isSecret: true,
    unset: 'none: no key is asked for',
    readBy: ['serve'],
    meaning: 'the keys that it accepts, separated by commas',
  },
  {
    name: 'RUNYARD_ALLOWED_ORIGINS',
    type: 'list',
    read: readOrigins,
    unset: "the hosted Studio's",
    readBy: ['serve'],
    meaning:
      'without keys: whose web pages it answers, besides those of this machine; `*` is any ([docs/auth.md](auth.md#without-keys))',
  },
  {
    name: 'RUNYARD_ALLOWED_HOSTS',
    field: 'allowedHosts',
    type: 'list',
    read: readHosts,
    readBy: ['serve'],
    meaning:
      'without keys: the names under which it answers, besides those of the loopback; `.example.com` is every name below it, `*` any',
  },
  {
    name: 'N_JOBS_PER_WORKER',
    field: 'concurrency',
    flag: '-n, --n-jobs-per-worker <n>',
    type: 'number',
    max: 9999,
    default: 32,
    readBy: ['serve'],
    meaning: 'how many runs execute at once',
  },
  {
    name: 'RUNYARD_PYTHON_PROCESSES',
    field: 'pythonProcesses',
    type: 'number',
    max: 64,
    default: 1,
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning:
      'how many processes run the graphs of a project in Python: each executes Python on one core at a time',
  },
  {
    name: 'RUNYARD_ROLE',
    field: 'role',
    flag: '--role <role>',
    type: 'choice',
    values: SERVER_ROLES,
    default: 'all',
    readBy: ['serve'],
    meaning:
      '`api` answers and executes no run, `worker` executes runs and answers only about itself ([docs/postgres.md](postgres.md#several-servers))',
  },
  {
    name: 'RUNYARD_START_FILE',
    field: 'startFile',
    type: 'path',
    readBy: ['serve'],
    meaning:
      'set by runtime drivers whose agent servers are no children of theirs: the file with what `serve --managed` is started with, secrets among it',
  },
  {
    name: 'RUNYARD_WEBHOOK_ALLOW',
    field: 'webhookAllow',
    type: 'ranges',
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning:
      'what webhooks may reach although it is not public: addresses, ranges, `loopback`, `private`',
  },
  {
    name: 'RUNYARD_WEBHOOK_TIMEOUT_SECS',
    field: 'webhookTimeoutMs',
    type: 'number',
    unit: 'seconds',
    default: 10,
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning: 'how long an attempt to deliver a webhook may take',
  },
  {
    name: 'RUNYARD_MAX_BODY_BYTES',
    field: 'maxBodyBytes',
    type: 'number',
    unit: 'bytes',
    unset: '300 MiB; gateway 256 MiB',
    readBy: ['up', 'serve', 'listener'],
    isHandedOn: true,
    meaning: 'the largest request that is read ([docs/operations.md](operations.md#limits))',
  },
  {
    name: 'RUNYARD_MAX_PENDING_RUNS',
    field: 'maxPendingRuns',
    type: 'number',
    unset: '100,000',
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning: 'how many runs may wait in all',
  },
  {
    name: 'RUNYARD_MAX_PENDING_RUNS_PER_THREAD',
    field: 'maxPendingRunsPerThread',
    type: 'number',
    unset: '1,000',
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning: 'how many runs may wait on one thread',
  },
  {
    name: 'RUNYARD_MAX_REQUESTS_PER_SECOND',
    field: 'maxRequestsPerSecond',
    type: 'number',
    unset: 'any number',
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning:
      'how many requests a caller may send in a second, by its key, its identity or else its address',
  },
  {
    name: 'RUNYARD_STREAM_BUFFER_BYTES',
    field: 'streamBufferBytes',
    type: 'number',
    unit: 'bytes',
    unset: '1 MiB',
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning: 'how much of the events of each followed run is kept in memory',
  },
  {
    name: 'RUNYARD_MAX_PAGE_BYTES',
    field: 'pageBytes',
    type: 'number',
    unit: 'bytes',
    unset: '32 MiB',
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning:
      "how large a page of threads or of a thread's history becomes before its limit is reached",
  },
  {
    name: 'RUNYARD_MAX_ANSWER_BYTES',
    field: 'answerBytes',
    type: 'number',
    unit: 'bytes',
    unset: '128 MiB',
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning:
      'how large the answers of an agent server may be in all that its clients have not read yet',
  },
  {
    name: 'RUNYARD_MAX_METADATA_BYTES',
    field: 'metadataBytes',
    type: 'number',
    unit: 'bytes',
    unset: '64 KiB',
    readBy: ['up', 'serve'],
    isHandedOn: true,
    meaning: 'how large the metadata of a thread, a run, an assistant or a cron may be',
  },
  {
    name: 'RUNYARD_LOG_LEVEL',
    field: 'logLevel',
    type: 'choice',
    values: LOG_LEVELS,
    default: 'info',
    readBy: ['up', 'serve', 'listener'],
    meaning: 'what is logged: `debug`, `info`, `warn`, `error` or `silent`',
  },
  {
    name: 'RUNYARD_LOG_FORMAT',
    field: 'logFormat',
    type: 'choice',
    values: ['auto', 'json', 'text'],
    default: 'auto',
    readBy: ['up', 'serve', 'listener'],
    meaning:
      'the form of the log on standard error: `json`, one object a line; `text`, the same as text; `auto`, short lines for people on a terminal and JSON elsewhere',
  },
  {
    name: 'BG_JOB_TIMEOUT_SECS',
    type: 'number',
    unit: 'seconds',
    default: 86_400,
    readBy: ['project'],
    meaning: 'how long a run may take, each attempt by itself',
  },
  {
    name: 'BG_JOB_MAX_RETRIES',
    type: 'number',
    default: 3,
    readBy: ['project'],
    meaning: 'how often a run is started that loses its server each time, before it ends in error',
  },
  {
    name: 'BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS',
    type: 'number',
    min: 0,
    unit: 'seconds',
    default: 3,
    readBy: ['project'],
    meaning:
      'how long runs go on when the server stops, before another one continues them from a checkpoint; the driver of a deployment waits 3 seconds at most, and `RUNYARD_DRAIN_SECS` at a rollout',
  },
  {
    name: 'LANGGRAPH_DEFAULT_RECURSION_LIMIT',
    type: 'number',
    unset: "LangGraph's own",
    readBy: ['project'],
    meaning: 'how many steps a run may take whose config and graph set no `recursion_limit`',
  },
  {
    name: 'RUNYARD_PATCHES_OFF',
    type: 'list',
    readBy: ['project'],
    meaning:
      "what is left out of what Runyard changes in a project's process: names of [docs/patches.md](patches.md), or `all`",
  },
  {
    name: 'LANGGRAPH_THREAD_TTL',
    type: 'json',
    readBy: ['project'],
    meaning:
      'how long threads are kept: minutes, or `checkpointer.ttl` of `langgraph.json` as JSON',
  },
  ...(['STORE', 'AUTH', 'HTTP', 'WEBHOOKS', 'CHECKPOINTER'] as const).map((key) => ({
    name: `LANGGRAPH_${key}` as const,
    type: 'json' as const,
    unset: 'what the file says',
    readBy: ['project'] as const,
    meaning: `replaces \`${key.toLowerCase()}\` of \`langgraph.json\`, as JSON`,
  })),
  {
    name: 'CORS_CONFIG',
    type: 'json',
    readBy: ['project'],
    meaning: 'replaces `http.cors` of `langgraph.json`, as JSON',
  },
  {
    name: 'CORS_ALLOW_ORIGINS',
    type: 'list',
    readBy: ['project'],
    meaning:
      'whose pages may call the server, separated by commas, where `CORS_CONFIG` and `http.cors` do not say',
  },
  {
    name: 'MOUNT_PREFIX',
    type: 'text',
    readBy: ['project'],
    meaning:
      'replaces `http.mount_prefix` of `langgraph.json`; a deployment has it from the file alone',
  },
  {
    name: 'LOG_LEVEL',
    type: 'text',
    unset: '`RUNYARD_LOG_LEVEL`, which wins over it',
    readBy: ['project'],
    meaning: 'what the agent server logs: `DEBUG`, `INFO`, `WARNING` or `ERROR`, in any case',
  },
  {
    name: 'LOG_JSON',
    field: 'isLogJson',
    type: 'switch',
    default: true,
    readBy: ['serve'],
    meaning: '`false`: the log is text, as with `RUNYARD_LOG_FORMAT=text`',
  },
  {
    name: 'EVENT_RETENTION_MINUTES',
    type: 'number',
    unit: 'minutes',
    default: 60,
    readBy: ['project'],
    meaning: 'how long after the end of a run its streams can be read again',
  },
  {
    name: 'LANGGRAPH_CONFIG',
    type: 'json',
    readBy: ['project'],
    meaning:
      "the `config` and `context` of each graph's own assistant, over those in `langgraph.json`",
  },
  {
    name: 'RUNYARD_WEBHOOK_SECRET',
    type: 'list',
    isSecret: true,
    readBy: ['project'],
    meaning:
      'what [webhooks](webhooks.md) are signed with, `whsec_` and base64; several are separated by commas',
  },
  {
    name: 'RUNYARD_WEBHOOKS',
    type: 'json',
    readBy: ['project'],
    meaning:
      'the [webhooks of all runs](webhooks.md#webhooks-of-all-runs), as JSON: `[{"url": …, "events": "all"}]`; a deployment\'s settings set it',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: 'url',
    readBy: ['project'],
    meaning:
      'where [traces, metrics and logs](operations.md#traces) go; the other variables of OpenTelemetry, `OTEL_*`, are read too',
  },
] as const satisfies readonly Setting[]

type Row = (typeof SETTINGS)[number]
export type SettingName = Row['name']
export type RowOf<N extends SettingName> = Extract<Row, { name: N }>

type ReadValue<R> = R extends { read: (...args: never[]) => infer T }
  ? T
  : R extends { values: readonly (infer Choice)[] }
    ? Choice
    : R extends { type: keyof typeof TYPES }
      ? ReturnType<(typeof TYPES)[R['type']]>
      : never

/** The value of a row; `undefined` where it has no default. A list is empty then. */
export type ValueOf<R> =
  | ReadValue<R>
  | (R extends { default: Setting['default'] } | { type: 'list' | 'ranges' } ? never : undefined)

/** The settings of a reader that have a field, by these. */
export type ConfigOf<R extends Reader> = {
  readonly [One in Extract<Row, { field: string }> as R extends One['readBy'][number]
    ? One['field']
    : never]: ValueOf<One>
}

/** The row of this name. */
export function rowOf<N extends SettingName>(name: N): RowOf<N> {
  return SETTINGS.find((one) => one.name === name) as RowOf<N>
}

/** The names of the settings that `up` passes to its agent servers. */
export function handedOn(): string[] {
  return namesOf(({ isHandedOn }) => isHandedOn === true)
}

/** The names of the secrets that this reader reads. */
export function secretsOf(reader: Reader): string[] {
  return namesOf(({ isSecret, readBy }) => isSecret === true && readBy.includes(reader))
}

function namesOf(isWanted: (row: Setting) => boolean): string[] {
  const all: readonly Setting[] = SETTINGS
  return all.filter(isWanted).map(({ name }) => name)
}
