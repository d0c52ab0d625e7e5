import { describe, expect, it } from 'vitest'
import {
  EMPTY_REVISION_CONFIG,
  EMPTY_SOURCE_CONFIG,
  type SourceConfig,
  type SourceRevisionConfig,
} from '../../core/deployment/sources/config.ts'
import { SOURCES, type Source } from '../../core/deployment/sources/table.ts'
import { checkRevisionSource, checkSource, refuseForeign, refuseUnprepared } from './rules.ts'

const URL = 'https://git.example.com/agent.git'
const IMAGE = `registry.example.com/agent@sha256:${'c0ffee00'.repeat(8)}`
const ALL = ['folder', 'image'] as const

const config = (change: Partial<SourceConfig> = {}) => ({ ...EMPTY_SOURCE_CONFIG, ...change })

function check(source: Source, change: Partial<SourceConfig> = {}, { isAdmin = false } = {}) {
  return () => checkSource(source, config(change), { artifacts: ALL, isAdmin })
}

function checkRevision(
  source: Source,
  change: Partial<SourceRevisionConfig>,
  deployment: Partial<SourceConfig> = {},
) {
  const revision = { ...EMPTY_REVISION_CONFIG, ...change }
  return () =>
    checkRevisionSource(source, revision, { deployment: config(deployment), artifacts: ALL })
}

const MINIMAL: Record<Source, Partial<SourceConfig>> = {
  github: { repo_url: URL },
  external_docker: {},
  internal_docker: {},
  internal_source: {},
}

const MINIMAL_REVISION: Record<Source, Partial<SourceRevisionConfig>> = {
  github: { langgraph_config_path: 'langgraph.json' },
  external_docker: { image_uri: IMAGE },
  internal_docker: { image_uri: IMAGE },
  internal_source: { source_tarball_path: 'd/a.tar.gz', langgraph_config_path: 'langgraph.json' },
}

describe('every source', () => {
  it.each(SOURCES)('%s takes what it needs, and refuses a revision of nothing', (source) => {
    expect(check(source, MINIMAL[source])).not.toThrow()
    expect(checkRevision(source, MINIMAL_REVISION[source])).not.toThrow()
    expect(checkRevision(source, {})).toThrow(/is required for source/)
  })

  it.each([
    ['internal_source', { repo_url: URL }, 'repo_url is only for source github'],
    ['internal_source', { integration_id: 'i' }, 'integration_id is only for source github'],
    ['internal_source', { build_on_push: true }, 'build_on_push is only for source github'],
    ['github', { listener_id: 'l' }, 'listener_id is only for source external_docker'],
    [
      'internal_docker',
      { listener_config: {} },
      'listener_config is only for source external_docker',
    ],
    ['external_docker', { install_command: 'x' }, 'only for source github or internal_source'],
  ] as const)('%s refuses %j, which another takes', (source, change, message) => {
    const change_ = { ...MINIMAL[source], ...change }
    expect(check(source, change_)).toThrow(message)
    expect(() => refuseForeign(source, 'source_config', config(change_))).toThrow(message)
  })

  it.each([
    ['internal_source', { repo_ref: 'main' }, 'repo_ref is only for source github'],
    [
      'github',
      { source_tarball_path: 'a' },
      'source_tarball_path is only for source internal_source',
    ],
    ['github', { image_uri: IMAGE }, 'only for source external_docker or internal_docker'],
  ] as const)('%s refuses %j in a revision', (source, change, message) => {
    expect(checkRevision(source, { ...MINIMAL_REVISION[source], ...change })).toThrow(message)
  })

  it('is sent build_on_push false by clients that send every member', () => {
    expect(check('internal_source', { build_on_push: false })).not.toThrow()
  })

  it.each(['/langgraph.json', '../langgraph.json', 'a\\b', 'C:x'])(
    'that is a project has its langgraph.json inside, not at %s',
    (langgraph_config_path) => {
      for (const source of ['github', 'internal_source'] as const) {
        const change = { ...MINIMAL_REVISION[source], langgraph_config_path }
        expect(checkRevision(source, change)).toThrow('must be a relative path inside the source')
      }
    },
  )
})

describe('a source that the runtime driver cannot start', () => {
  it.each(['external_docker', 'internal_docker'] as const)('%s is refused, first', (source) => {
    const message =
      `The source ${source} needs a container runtime driver, and none is configured. ` +
      'Use source github or internal_source.'
    const artifacts = ['folder'] as const
    const wrong = config({ repo_url: URL })
    expect(() => checkSource(source, wrong, { artifacts, isAdmin: true })).toThrow(message)
    const terms = { deployment: wrong, artifacts }
    expect(() => checkRevisionSource(source, EMPTY_REVISION_CONFIG, terms)).toThrow(message)
  })
})

describe('a git repository', () => {
  it('needs its URL', () => {
    expect(check('github')).toThrow('source_config.repo_url is required for source github.')
  })

  it('is a folder of the machine for admins only', () => {
    const change = { repo_url: 'file:///srv/agent.git' }
    expect(check('github', change)).toThrow('needs an API key with role admin')
    expect(check('github', change, { isAdmin: true })).not.toThrow()
  })

  it.each(['main', 'refs/tags/v1', 'feature/x', 'c0ffee'])('may be at %s', (repo_ref) => {
    expect(checkRevision('github', { ...MINIMAL_REVISION.github, repo_ref })).not.toThrow()
  })

  it.each([
    '--all',
    '.x',
    'x.',
    'a/.b',
    'a..b',
    'a b',
    'a:b',
    'a~1',
    '@{u}',
    'x.lock',
    'a//b',
    'a/',
    '',
  ])('is at no %j', (repo_ref) => {
    const change = { ...MINIMAL_REVISION.github, repo_ref }
    expect(checkRevision('github', change)).toThrow('must be a branch, a full tag ref')
  })

  it('is built on push from a branch, not from a tag', () => {
    const tag = { ...MINIMAL_REVISION.github, repo_ref: 'refs/tags/v1' }
    const branch = { ...MINIMAL_REVISION.github, repo_ref: 'main' }
    expect(checkRevision('github', tag, { build_on_push: true })).toThrow('needs a branch')
    expect(checkRevision('github', tag, { build_on_push: false })).not.toThrow()
    expect(checkRevision('github', branch, { build_on_push: true })).not.toThrow()
  })
})

it('a revision of another source has what that one needs from the deployment', () => {
  const tarballs = { name: 'support', source: 'internal_source' } as const
  expect(() => refuseUnprepared('github', tarballs, config())).toThrow(
    'revision_source github needs a repo_url, and deployment support was created without one ' +
      '(source internal_source).',
  )
  const repository = { name: 'support', source: 'github' } as const
  expect(() =>
    refuseUnprepared('internal_source', repository, config({ repo_url: URL })),
  ).not.toThrow()
})
