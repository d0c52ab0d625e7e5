import { describe, expect, it } from 'vitest'
import { PATCHES } from '../core/agent/host/patches.ts'
import { readUpConfig } from '../settings/config.ts'
import {
  readCount,
  readGraphConfigs,
  readHasSourceMaps,
  readLogLevel,
  readPatchesOff,
  readStandingWebhooks,
  readTelemetry,
  readTimeMs,
  readWebhookEnvironment,
} from './variables.ts'

describe('the configuration of graphs', () => {
  it('is read from LANGGRAPH_CONFIG', () => {
    const env = { LANGGRAPH_CONFIG: '{"agent": {"configurable": {"model": "small"}}}' }
    expect(readGraphConfigs(env)).toEqual({ agent: { configurable: { model: 'small' } } })
    expect(readGraphConfigs({})).toEqual({})
  })

  it.each(['{', '[]', '{"agent": 1}'])('refuses %s and names the variable', (text) => {
    expect(() => readGraphConfigs({ LANGGRAPH_CONFIG: text })).toThrow('LANGGRAPH_CONFIG')
  })
})

describe('the environment of webhooks', () => {
  const secret = Buffer.alloc(24, 1)
  const text = `whsec_${secret.toString('base64')}`

  it('has the secrets, and the variables that headers may name', () => {
    const env = { RUNYARD_WEBHOOK_SECRET: `${text},${text}`, LG_WEBHOOK_A: 'a', B: 'b' }
    const read = readWebhookEnvironment('LG_WEBHOOK_', env)
    expect(read).toEqual({ secrets: [secret, secret], env: { LG_WEBHOOK_A: 'a' } })
    expect(readWebhookEnvironment('X_', {})).toEqual({ secrets: [], env: {} })
  })

  it.each(['x', 'whsec_', 'whsec_c2hvcnQ=', `${text},x`])('refuses the secret %s', (bad) => {
    const env = { RUNYARD_WEBHOOK_SECRET: bad }
    expect(() => readWebhookEnvironment('X_', env)).toThrow('RUNYARD_WEBHOOK_SECRET')
  })
})

describe('the webhooks of all runs', () => {
  it('are read from RUNYARD_WEBHOOKS', () => {
    const RUNYARD_WEBHOOKS = '[{"url": "https://a.example/"}]'
    expect(readStandingWebhooks({ RUNYARD_WEBHOOKS })).toEqual([
      { url: 'https://a.example/', events: 'all' },
    ])
    expect(readStandingWebhooks({})).toEqual([])
  })

  it.each(['{', '{}', '[{"url": "/runs"}]', '[{"url": "https://a.example", "events": "some"}]'])(
    'are refused: %s',
    (RUNYARD_WEBHOOKS) => {
      expect(() => readStandingWebhooks({ RUNYARD_WEBHOOKS })).toThrow('RUNYARD_WEBHOOKS')
    },
  )
})

describe('what is sent to OpenTelemetry', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector'
  it.each<[env: Record<string, string>, sent: string[]]>([
    [{}, []],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT }, ['traces', 'metrics', 'logs']],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector' }, ['traces']],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector' }, ['metrics']],
    [{ OTEL_TRACES_EXPORTER: 'console' }, ['traces']],
    [{ OTEL_METRICS_EXPORTER: 'prometheus' }, []],
    [{ OTEL_LOGS_EXPORTER: 'otlp' }, ['logs']],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }, []],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, ['metrics', 'logs']],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_METRICS_EXPORTER: 'none' }, ['traces', 'logs']],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_LOGS_EXPORTER: 'none' }, ['traces', 'metrics']],
  ])('with %o: %j', (env, sent) => {
    const { hasServiceName, ...wanted } = readTelemetry(env)
    expect(hasServiceName).toBe(false)
    expect(Object.entries(wanted).flatMap(([name, is]) => (is ? [name] : []))).toEqual(sent)
  })

  it('has the protocol and the pace of metrics', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT }
    const usual = { protocol: 'http/protobuf', intervalMs: 60_000, timeoutMs: 30_000 }
    expect(readTelemetry(env).metrics).toEqual(usual)
    const given = { OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc', OTEL_METRIC_EXPORT_INTERVAL: '5' }
    const own = { protocol: 'grpc', intervalMs: 5, timeoutMs: 5 }
    expect(readTelemetry({ ...env, ...given }).metrics).toEqual(own)
  })

  it('is told to agent servers, and not to builds', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector' }
    const { agentServerEnv, childEnv } = readUpConfig({}, env)
    expect(agentServerEnv).toEqual(env)
    expect(childEnv).not.toMatchObject(env)
  })
})

describe('the other variables of the official server', () => {
  it.each([
    ['BG_JOB_TIMEOUT_SECS', 86_400_000, '0.5', 500],
    ['BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS', 3_000, '0', 0],
    ['EVENT_RETENTION_MINUTES', 3_600_000, '2', 120_000],
  ] as const)('have %s, a time', (name, usual, text, expected) => {
    expect(readTimeMs({}, name)).toBe(usual)
    expect(readTimeMs({ [name]: text }, name)).toBe(expected)
    expect(() => readTimeMs({ [name]: '-1' }, name)).toThrow(name)
  })

  it.each(['0', 'soon', 'Infinity'])('refuse a time limit of %s', (text) => {
    const env = { BG_JOB_TIMEOUT_SECS: text }
    expect(() => readTimeMs(env, 'BG_JOB_TIMEOUT_SECS')).toThrow('BG_JOB_TIMEOUT_SECS')
  })

  it.each([
    ['BG_JOB_MAX_RETRIES', 3, '1', '0'],
    ['LANGGRAPH_DEFAULT_RECURSION_LIMIT', undefined, '7', '-1'],
  ] as const)('have %s, a count', (name, usual, text, wrong) => {
    expect(readCount({}, name)).toBe(usual)
    expect(readCount({ [name]: text }, name)).toBe(Number(text))
    expect(() => readCount({ [name]: wrong }, name)).toThrow(name)
  })

  it('have Node’s own option for source maps among others', () => {
    expect(readHasSourceMaps({})).toBe(false)
    expect(readHasSourceMaps({ NODE_OPTIONS: '--enable-source-maps-not' })).toBe(false)
    expect(readHasSourceMaps({ NODE_OPTIONS: '--no-warnings --enable-source-maps' })).toBe(true)
  })

  it('list the patches to leave out, and refuse an unknown name', () => {
    expect(readPatchesOff({})).toEqual([])
    const some = { RUNYARD_PATCHES_OFF: 'sdk-logger, promise-race' }
    expect(readPatchesOff(some)).toEqual(['promise-race', 'sdk-logger'])
    expect(readPatchesOff({ RUNYARD_PATCHES_OFF: 'all' })).toEqual(PATCHES)
    const wrong = { RUNYARD_PATCHES_OFF: 'promise-race,races' }
    expect(() => readPatchesOff(wrong)).toThrow('not "races"')
  })

  it('take Python’s levels of logs in any case, below our own variable', () => {
    const levels = ['debug', 'INFO', 'Warning', 'CRITICAL', 'silent']
    const read = levels.map((LOG_LEVEL) => readLogLevel({ LOG_LEVEL }))
    expect(read).toEqual(['debug', 'info', 'warn', 'error', 'silent'])
    expect(readLogLevel({ LOG_LEVEL: 'DEBUG', RUNYARD_LOG_LEVEL: 'warn' })).toBeUndefined()
    expect(readLogLevel({})).toBeUndefined()
    expect(() => readLogLevel({ LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL must be DEBUG')
  })
})
