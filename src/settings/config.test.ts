import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import {
  applyProjectEnvironment,
  readClientConfig,
  readDevConfig,
  readListenerConfig,
  readServeConfig,
  readUpConfig,
} from './config.ts'

describe('the configuration of up', () => {
  it('has the documented defaults', () => {
    const config = readUpConfig({}, {})
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8124,
      isExampleWanted: true,
      buildTimeoutMs: 900_000,
      buildMemoryBytes: 4 * 1024 ** 3,
      logLevel: 'info',
      domain: undefined,
      keptRevisions: 5,
    })
    expect(config.dataDir).toMatch(/\/\.runyard$/)
  })

  it('takes a file of OAuth providers, and addresses that they may have', () => {
    expect(readUpConfig({}, {})).toMatchObject({ oauthProvidersFile: undefined, oauthAllow: [] })
    const env = { RUNYARD_OAUTH_PROVIDERS: '/p.json', RUNYARD_OAUTH_ALLOW: 'loopback, 10.0.0.0/8' }
    const { oauthProvidersFile, oauthAllow } = readUpConfig({}, env)
    expect(oauthProvidersFile).toBe('/p.json')
    expect(oauthAllow).toHaveLength(3)
    expect(() => readUpConfig({}, { RUNYARD_OAUTH_ALLOW: 'all' })).toThrow('RUNYARD_OAUTH_ALLOW')
  })

  it('is frozen', () => {
    expect(Object.isFrozen(readUpConfig({}, {}))).toBe(true)
  })

  it('reports every problem together and names each setting', () => {
    const env = {
      RUNYARD_PORT: 'eighty',
      RUNYARD_ENCRYPTION_KEY: 'c2hvcnQ=',
      RUNYARD_LOG_LEVEL: 'loud',
      RUNYARD_PUBLIC_URL: 'ftp://example.test',
      RUNYARD_INTERNAL_URL: '10.0.0.7:8124',
      RUNYARD_EXAMPLE: 'maybe',
      RUNYARD_BUILD_TIMEOUT_SECS: '0',
      RUNYARD_BUILD_MEMORY_MB: '4 GB',
      RUNYARD_ADMIN_KEY: 'short',
      RUNYARD_DATABASE_URL: 'postgres://user:hidden@localhost/x?pool_size=none',
      RUNYARD_DOMAIN: 'https://example.test',
      RUNYARD_KEPT_REVISIONS: '0',
    }
    const names = Object.keys(env)
    for (const name of names) expect(() => readUpConfig({}, env)).toThrow(name)
    expect(() => readUpConfig({}, env)).not.toThrow('hidden')
  })

  it('takes a certificate with its key, and neither alone', () => {
    const both = { RUNYARD_TLS_CERT: '/c.pem', RUNYARD_TLS_KEY: '/k.pem' }
    for (const read of [readUpConfig, readServeConfig]) {
      expect(read({}, {}).tls).toBeUndefined()
      expect(read({}, both).tls).toEqual({ cert: '/c.pem', key: '/k.pem' })
      expect(() => read({}, { RUNYARD_TLS_KEY: '/k.pem' })).toThrow('RUNYARD_TLS_CERT: has to be')
      expect(() => read({}, { RUNYARD_TLS_CERT: '/c.pem' })).toThrow('RUNYARD_TLS_KEY: has to be')
    }
  })

  it('takes a domain in any case, and how many revisions are kept', () => {
    const env = { RUNYARD_DOMAIN: 'Agents.Example.com', RUNYARD_KEPT_REVISIONS: '9' }
    const expected = { domain: 'agents.example.com', keptRevisions: 9 }
    expect(readUpConfig({}, env)).toMatchObject(expected)
  })

  it('hands children no variable that is not on the list', () => {
    const env = {
      PATH: '/bin',
      RUNYARD_ADMIN_KEY: 'secret-key',
      AWS_SECRET: 'x',
      OPENAI_API_KEY: 'sk',
      SSH_AUTH_SOCK: '/run/agent',
    }
    expect(Object.keys(readUpConfig({}, env).childEnv).toSorted()).toEqual(['HOME', 'PATH'])
  })

  it('hands settings of package indexes to builds, and to nobody else', () => {
    const env = {
      PIP_INDEX_URL: 'https://a:b@index/simple',
      UV_CACHE_DIR: '/cache',
      UV_PYTHON: 'x',
    }
    const { childEnv, buildEnv } = readUpConfig({}, { PATH: '/bin', ...env })
    expect(Object.keys(childEnv).toSorted()).toEqual(['HOME', 'PATH'])
    const { UV_PYTHON: _, ...handedOn } = env
    expect(buildEnv).toEqual({ ...childEnv, ...handedOn })
  })
})

describe('the configuration of serve', () => {
  it('prefers a flag to RUNYARD_PORT, that to PORT, that to the default', () => {
    expect(readServeConfig({ port: '1' }, { RUNYARD_PORT: '2', PORT: '3' }).port).toBe(1)
    expect(readServeConfig({}, { RUNYARD_PORT: '2', PORT: '3' }).port).toBe(2)
    expect(readServeConfig({}, { PORT: '3' }).port).toBe(3)
    expect(readServeConfig({}, {}).port).toBe(2024)
  })

  it('has a worker listen on any free port, unless told otherwise', () => {
    expect(readServeConfig({ role: 'worker' }, {})).toMatchObject({ host: '127.0.0.1', port: 0 })
    expect(readServeConfig({}, { RUNYARD_ROLE: 'worker', PORT: '3' }).port).toBe(3)
  })

  it('splits the keys and drops empty ones', () => {
    expect(readServeConfig({}, { RUNYARD_API_KEYS: 'a, b,,' }).apiKeys).toEqual(['a', 'b'])
  })

  it('has a control plane for its agents where both its address and a key are given', () => {
    const RUNYARD_URL = 'http://127.0.0.1:8124/'
    const home = { url: 'http://127.0.0.1:8124', key: 'ry_k' }
    expect(readServeConfig({}, { RUNYARD_URL, RUNYARD_API_KEY: ' ry_k ' }).home).toEqual(home)
    expect(readServeConfig({}, { RUNYARD_URL }).home).toBeUndefined()
    expect(readServeConfig({}, { RUNYARD_API_KEY: 'ry_k' }).home).toBeUndefined()
  })

  it('says whom a server without keys answers', () => {
    const unset = { allowedHosts: [], allowedOrigins: undefined, devHost: undefined }
    expect(readServeConfig({}, {})).toMatchObject(unset)
    const env = {
      RUNYARD_ALLOWED_HOSTS: 'Agents.test, .box',
      RUNYARD_ALLOWED_ORIGINS: 'https://a.test, null',
    }
    expect(readServeConfig({}, env)).toMatchObject({
      allowedHosts: ['agents.test', '.box'],
      allowedOrigins: ['https://a.test', 'null'],
    })
    const bad = {
      RUNYARD_ALLOWED_HOSTS: 'http://a.test',
      RUNYARD_ALLOWED_ORIGINS: 'https://a.test/path',
    }
    for (const name of Object.keys(bad)) expect(() => readServeConfig({}, bad)).toThrow(name)
  })

  it('says what webhooks may reach, and for how long they wait', () => {
    const env = { RUNYARD_WEBHOOK_ALLOW: 'loopback, 10.0.0.0/8', RUNYARD_WEBHOOK_TIMEOUT_SECS: '3' }
    const config = readServeConfig({}, env)
    expect(config.webhookTimeoutMs).toBe(3_000)
    expect(config.webhookAllow.map(String)).toEqual(['127.0.0.0/8', '::1/128', '10.0.0.0/8'])
    expect(readServeConfig({}, {})).toMatchObject({ webhookAllow: [], webhookTimeoutMs: 10_000 })
    expect(readUpConfig({}, env).agentServerEnv).toEqual(env)
    expect(readServeConfig({}, { RUNYARD_MAX_PENDING_RUNS: '7' }).maxPendingRuns).toBe(7)
    for (const read of [readServeConfig, readUpConfig]) {
      const bad = {
        RUNYARD_WEBHOOK_ALLOW: 'all',
        RUNYARD_WEBHOOK_TIMEOUT_SECS: '0',
        RUNYARD_MAX_BODY_BYTES: '1e6',
        RUNYARD_MAX_PENDING_RUNS: '-1',
        RUNYARD_MAX_PENDING_RUNS_PER_THREAD: 'many',
        RUNYARD_MAX_REQUESTS_PER_SECOND: '0.5',
        RUNYARD_STREAM_BUFFER_BYTES: '0',
        RUNYARD_MAX_PAGE_BYTES: '0',
      }
      for (const name of Object.keys(bad)) expect(() => read({}, bad)).toThrow(name)
    }
  })

  it('reads what keeps projects away from the operator’s files', () => {
    const read = (RUNYARD_SANDBOX?: string) => readUpConfig({}, { RUNYARD_SANDBOX }).sandbox
    expect(read()).toEqual({ mode: 'off' })
    expect(read('auto')).toEqual({ mode: 'auto' })
    expect(read('bwrap')).toEqual({ mode: 'given', isBubblewrap: true })
    const both = { mode: 'given', user: 'agents', isBubblewrap: true }
    expect(read('user:agents, bwrap')).toEqual(both)
    for (const bad of ['on', 'user:', 'user:a b', 'user:root', 'user:00', 'bwrap,auto']) {
      expect(() => read(bad)).toThrow('RUNYARD_SANDBOX')
    }
  })

  it('reads which cluster agent servers run in', () => {
    const given = {
      ...{ RUNYARD_RUNTIME: 'kubernetes', RUNYARD_DATABASE_URL: 'postgres://db/runyard' },
      RUNYARD_AGENTS_URL: 'http://runyard:8124',
    }
    const read = (env: Record<string, string>) => readUpConfig({}, { ...given, ...env }).kubernetes
    expect(readUpConfig({}, {}).kubernetes).toBeUndefined()
    expect(read({})).toEqual({
      ...{ kubeconfig: undefined, namespace: 'runyard-agents', image: 'runyard' },
      ...{ installation: 'runyard', allow: [], scaling: 'own', ingressFrom: [] },
    })
    expect(
      read({
        RUNYARD_KUBERNETES_NAMESPACE: 'agents-{workspace_id}',
        RUNYARD_KUBERNETES_ALLOW: 'nfs, any_user',
        RUNYARD_KUBERNETES_INGRESS_FROM: '10.0.0.0/8',
      }),
    ).toMatchObject({
      ...{ namespace: 'agents-{workspace_id}', allow: ['nfs', 'any_user'] },
      ingressFrom: ['10.0.0.0/8'],
    })
    for (const [name, value] of [
      ['RUNYARD_KUBERNETES_NAMESPACE', 'Agents'],
      ['RUNYARD_KUBERNETES_INSTALLATION', 'two words'],
      ['RUNYARD_KUBERNETES_ALLOW', 'everything'],
      ['RUNYARD_KUBERNETES_INGRESS_FROM', 'somewhere'],
      ['RUNYARD_KUBERNETES_SCALING', 'keda'],
    ] as const) {
      expect(() => read({ [name]: value }), name).toThrow(name)
    }
  })

  it.each(['docker', 'kubernetes'])(
    'asks how agent servers on %s reach the database',
    (runtime) => {
      const read = (RUNYARD_DATABASE_URL: string, RUNYARD_AGENT_DATABASE_URL?: string) => {
        const env = {
          ...{ RUNYARD_RUNTIME: runtime, RUNYARD_DATABASE_URL, RUNYARD_AGENT_DATABASE_URL },
          RUNYARD_AGENTS_URL: 'http://runyard:8124',
        }
        const listener = {
          RUNYARD_URL: 'http://127.0.0.1:1',
          RUNYARD_API_KEY: `ryl_${'k'.repeat(43)}`,
        }
        const { agentDatabaseUrl } = readListenerConfig({}, { ...env, ...listener })
        expect(agentDatabaseUrl).toBe(readUpConfig({}, env).agentDatabaseUrl)
        return agentDatabaseUrl
      }
      const near = ['postgres://u:p@127.0.0.1/x', 'postgres://localhost/x', 'postgres://[::1]:1/x']
      near.push('postgres:///x?host=/run/postgresql', 'postgres://%2Frun/x', 'postgres:///x')
      near.push('postgres://db/x?direct=localhost:5432')
      for (const url of near) {
        expect(() => read(url), url).toThrow(/RUNYARD_AGENT_DATABASE_URL: must name .* Set it to/)
        expect(read(url, 'postgres://10.0.0.1/x')).toBe('postgres://10.0.0.1/x')
        expect(() => read('postgres://db/x', url), url).toThrow('RUNYARD_AGENT_DATABASE_URL')
      }
      expect(read('postgres://db/x')).toBeUndefined()
      expect(() => read('postgres://db/x?schema=one', 'postgres://db/x?schema=two')).toThrow(
        'schema',
      )
      expect(() => read('postgres://db/x', 'mysql://u:secret@db/x')).toThrow(/^(?!.*secret)/s)
    },
  )

  it('takes agent servers’ way to the database beside a database alone', () => {
    const env = { RUNYARD_AGENT_DATABASE_URL: 'postgres://db/x' }
    expect(() => readUpConfig({}, env)).toThrow('needs RUNYARD_DATABASE_URL')
    const near = { RUNYARD_DATABASE_URL: 'postgres://localhost/x' }
    expect(readUpConfig({}, near).agentDatabaseUrl).toBeUndefined()
  })

  it('reads with which certificates a container engine is asked', () => {
    const folder = temporaryFolder()
    for (const name of ['ca.pem', 'cert.pem', 'key.pem']) writeFileSync(join(folder, name), '')
    const read = (env: Record<string, string>) => readUpConfig({}, env).docker.certs
    const tcp = { RUNYARD_DOCKER_HOST: 'tcp://10.0.0.1:2376' }
    const ofDocker = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder }
    expect(read(tcp)).toBeUndefined()
    expect(read({ ...tcp, RUNYARD_DOCKER_CERTS: folder })).toBe(folder)
    expect(read({ ...tcp, ...ofDocker })).toBe(folder)
    const inHome = { ...tcp, DOCKER_TLS_VERIFY: '1', HOME: folder }
    expect(() => read(inHome)).toThrow('ca.pem and cert.pem and key.pem cannot be read')
    expect(read({ ...ofDocker, RUNYARD_DOCKER_HOST: 'unix:///x' })).toBeUndefined()
    expect(() => read({ RUNYARD_DOCKER_CERTS: folder })).toThrow('tcp://HOST:PORT alone')
    rmSync(join(folder, 'key.pem'))
    expect(() => read({ ...tcp, RUNYARD_DOCKER_CERTS: folder })).toThrow('key.pem cannot be read')
    rmSync(folder, { recursive: true })
  })

  it('builds for Kubernetes in an engine that is named, where a registry takes its images', () => {
    const read = (env: Record<string, string>) => readUpConfig({}, env).buildsInContainers
    const cluster = {
      ...{ RUNYARD_RUNTIME: 'kubernetes', RUNYARD_DATABASE_URL: 'postgres://db/x' },
      RUNYARD_AGENTS_URL: 'http://runyard:8124',
    }
    const registry = { RUNYARD_REGISTRY_URL: 'https://registry.example.com/team' }
    const engine = { RUNYARD_DOCKER_HOST: 'unix:///x' }
    expect(read({ ...cluster, ...registry, ...engine })).toBe(true)
    expect(read({ ...cluster, ...registry, DOCKER_HOST: 'unix:///x' })).toBe(false)
    expect(read({ ...cluster, ...engine })).toBe(false)
    expect(read({ ...registry, ...engine })).toBe(false)
    expect(read({ RUNYARD_RUNTIME: 'docker' })).toBe(true)
  })

  it('refuses to be where no pod finds it', () => {
    const given = { RUNYARD_RUNTIME: 'kubernetes', RUNYARD_DATABASE_URL: 'postgres://db/x' }
    const read = (env: Record<string, string>) => () => readUpConfig({}, { ...given, ...env })
    for (const [env, name] of [
      [{}, 'RUNYARD_AGENTS_URL'],
      [{ RUNYARD_HOST: '0.0.0.0' }, 'RUNYARD_AGENTS_URL'],
      [{ RUNYARD_AGENTS_URL: 'http://localhost:8124' }, 'RUNYARD_AGENTS_URL'],
      [{ RUNYARD_INTERNAL_URL: 'http://127.0.0.1:8124' }, 'RUNYARD_INTERNAL_URL'],
    ] as const) {
      expect(read(env)).toThrow(`${name}: must name this control plane as pods reach it`)
    }
    for (const env of [
      { RUNYARD_HOST: '192.168.1.20' },
      { RUNYARD_AGENTS_URL: 'http://192.168.1.20:8124' },
      { RUNYARD_ARTIFACTS_URL: 's3://bucket/runyard?region=eu-west-1' },
    ]) {
      expect(read(env)).not.toThrow()
    }
  })

  it('refuses what this version cannot do', () => {
    expect(() => readUpConfig({}, { RUNYARD_RUNTIME: 'nomad' })).toThrow(
      'RUNYARD_RUNTIME: must be one of process',
    )
    expect(() => readUpConfig({}, { RUNYARD_RUNTIME: 'kubernetes' })).toThrow(
      'kubernetes needs PostgreSQL, as pods share no file with this machine: set RUNYARD_DATABASE_URL',
    )
    expect(() => readServeConfig({ workers: 'many' }, {})).toThrow('--workers')
    expect(() => readServeConfig({ workers: '2', role: 'api' }, {})).toThrow('--role')
    expect(() => readServeConfig({}, { RUNYARD_ROLE: 'boss' })).toThrow('all, api, worker')
  })
})

describe('the configuration of dev', () => {
  it('hands the whole environment on, and how many runs may execute at once', () => {
    const env = { PATH: '/bin', OPENAI_API_KEY: 'sk', EMPTY: '' }
    const { childEnv, concurrency } = readDevConfig({ nJobsPerWorker: '3' }, env)
    expect(childEnv).toMatchObject({ PATH: '/bin', OPENAI_API_KEY: 'sk', N_JOBS_PER_WORKER: '3' })
    expect(concurrency).toBe(3)
    expect(readServeConfig({}, childEnv)).toMatchObject({ concurrency: 3, devHost: '127.0.0.1' })
  })

  it.each(['0', '-1', 'many', '10000'])('refuses %s runs at once', (nJobsPerWorker) => {
    expect(() => readDevConfig({ nJobsPerWorker }, {})).toThrow('--n-jobs-per-worker: must be a')
  })
})

describe('where commands find the control plane', () => {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'admin.key'), 'ry_local\n')
  const env = { RUNYARD_DATA_DIR: dir }

  it('is this machine, with the key of the data folder, unless told otherwise', () => {
    expect(readClientConfig({}, env)).toEqual({
      url: 'http://127.0.0.1:8124',
      apiKey: 'ry_local',
      keySource: join(dir, 'admin.key'),
    })
    const given = { ...env, RUNYARD_URL: 'https://runyard.example/', RUNYARD_API_KEY: 'ry_given' }
    expect(readClientConfig({}, given)).toMatchObject({
      url: 'https://runyard.example',
      apiKey: 'ry_given',
    })
    const flags = { url: 'http://localhost:1', apiKey: 'ry_flag' }
    expect(readClientConfig(flags, given)).toEqual({
      url: 'http://localhost:1',
      apiKey: 'ry_flag',
      keySource: '--api-key',
    })
  })

  it.each(['https://runyard.example', 'http://127.0.0.1.example', 'http://10.0.0.1:8124'])(
    'never sends the key of the data folder to %s',
    (url) => {
      expect(() => readClientConfig({ url }, env)).toThrow('RUNYARD_API_KEY')
    },
  )

  it('refuses what is no address and no key, both together', () => {
    const flags = { url: 'nonsense', apiKey: 'two words' }
    expect(() => readClientConfig(flags, {})).toThrow(/--url.*\n.*--api-key/)
  })
})

describe('whose user tokens are taken', () => {
  const env = {
    RUNYARD_OIDC_ISSUER: 'https://id.example',
    RUNYARD_OIDC_AUDIENCE: 'https://runyard.example',
  }

  it('is nobody’s, unless an issuer and an audience are set', () => {
    expect(readUpConfig({}, {}).userTokens).toBeUndefined()
    expect(readUpConfig({}, env).userTokens).toEqual({
      issuer: 'https://id.example',
      audience: 'https://runyard.example',
      roleClaim: 'roles',
      roles: { admin: 'admin', developer: 'developer', viewer: 'viewer', agent: 'agent' },
      workspaceClaim: undefined,
      client: undefined,
      clockSkewMs: 30_000,
    })
  })

  it('may have other claims and roles', () => {
    const more = {
      ...env,
      RUNYARD_OIDC_ROLE_CLAIM: 'groups',
      RUNYARD_OIDC_ROLES: 'cn=ops=admin, *=viewer',
      RUNYARD_OIDC_WORKSPACE_CLAIM: 'org',
      RUNYARD_OIDC_CLOCK_SKEW_SECS: '0',
    }
    expect(readUpConfig({}, more).userTokens).toMatchObject({
      roleClaim: 'groups',
      roles: { 'cn=ops': 'admin', '*': 'viewer' },
      workspaceClaim: 'org',
      clockSkewMs: 0,
    })
  })

  it('may know the dashboard as a client, at which people sign in', () => {
    const client = { ...env, RUNYARD_OIDC_CLIENT_ID: 'runyard', RUNYARD_OIDC_CLIENT_SECRET: 's' }
    expect(readUpConfig({}, client).userTokens?.client).toEqual({
      clientId: 'runyard',
      clientSecret: 's',
      scopes: 'openid profile email',
    })
    expect(() => readUpConfig({}, { RUNYARD_OIDC_CLIENT_ID: 'runyard' })).toThrow('OIDC_ISSUER')
  })

  it.each([
    [{ RUNYARD_OIDC_CLIENT_ID: 'x', RUNYARD_OIDC_SCOPES: 'email' }, 'RUNYARD_OIDC_SCOPES'],
    [{ RUNYARD_OIDC_AUDIENCE: '' }, 'RUNYARD_OIDC_AUDIENCE'],
    [{ RUNYARD_OIDC_ISSUER: 'http://id.example' }, 'RUNYARD_OIDC_ISSUER'],
    [{ RUNYARD_OIDC_ROLES: 'ops=king' }, 'RUNYARD_OIDC_ROLES'],
    [{ RUNYARD_OIDC_CLOCK_SKEW_SECS: '1h' }, 'RUNYARD_OIDC_CLOCK_SKEW_SECS'],
  ])('refuses %j', (change, name) => {
    expect(() => readUpConfig({}, { ...env, ...change })).toThrow(name)
  })
})

describe('the environment of a project', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('has none of the keys of its server, but those that it names itself', () => {
    vi.stubEnv('RUNYARD_API_KEY', 'ry_k')
    vi.stubEnv('RUNYARD_API_KEYS', 'a,b')
    vi.stubEnv('RUNYARD_DATABASE_URL', 'postgres://a:b@c')
    vi.stubEnv('OF_THE_MACHINE', 'kept')
    const env = applyProjectEnvironment({ OF_THE_MACHINE: 'b' }, { RUNYARD_API_KEY: 'its own' })
    expect(env).toMatchObject({ OF_THE_MACHINE: 'kept', RUNYARD_API_KEY: 'its own' })
    expect(env).not.toHaveProperty('RUNYARD_API_KEYS')
    expect(env).not.toHaveProperty('RUNYARD_DATABASE_URL')
  })
})
