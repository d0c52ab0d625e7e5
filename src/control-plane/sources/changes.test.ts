import { describe, expect, it } from 'vitest'
import { EMPTY_REVISION_CONFIG, EMPTY_SOURCE_CONFIG } from '../../core/deployment/sources/config.ts'
import { makesRevision, refuseImmutable, withRevisionConfig, withSourceConfig } from './changes.ts'

const ofCommit = {
  source_revision_config: {
    ...EMPTY_REVISION_CONFIG,
    repo_ref: 'main',
    langgraph_config_path: 'agents/langgraph.json',
    repo_commit_sha: 'c0ffee',
  },
}

describe('what the next revision is made from', () => {
  it('is what the one before was made from, but for its commit, with what is sent', () => {
    expect(withRevisionConfig('github', ofCommit, null)).toEqual({
      ...EMPTY_REVISION_CONFIG,
      repo_ref: 'main',
      langgraph_config_path: 'agents/langgraph.json',
    })
    const sent = { repo_ref: 'next', langgraph_config_path: null }
    expect(withRevisionConfig('github', ofCommit, sent)).toMatchObject({
      repo_ref: 'next',
      langgraph_config_path: 'agents/langgraph.json',
    })
  })

  it('has of a revision of another source what both take', () => {
    const sent = { source_tarball_path: 'd/a.tar.gz' }
    expect(withRevisionConfig('internal_source', ofCommit, sent)).toEqual({
      ...EMPTY_REVISION_CONFIG,
      source_tarball_path: 'd/a.tar.gz',
      langgraph_config_path: 'agents/langgraph.json',
    })
    expect(withRevisionConfig('internal_docker', ofCommit, null)).toEqual(EMPTY_REVISION_CONFIG)
  })

  it('of a tarball has langgraph.json at its top where nothing else was ever said', () => {
    const { langgraph_config_path } = withRevisionConfig('internal_source', undefined, {})
    expect(langgraph_config_path).toBe('langgraph.json')
    expect(withRevisionConfig('github', undefined, {}).langgraph_config_path).toBeNull()
  })
})

it('a change makes a revision where the source is built or started otherwise by it', () => {
  expect(makesRevision('github', { build_command: 'make' })).toBe(true)
  expect(makesRevision('internal_source', { resource_spec: { cpu: 1 } })).toBe(true)
  expect(makesRevision('github', { build_on_push: true, build_command: null })).toBe(false)
  expect(makesRevision('internal_docker', { build_command: 'make' })).toBe(false)
  expect(makesRevision('github', undefined)).toBe(false)
})

describe('a deployment’s configuration', () => {
  const stored = { ...EMPTY_SOURCE_CONFIG, repo_url: 'https://git.example.com/agent.git' }

  it('changes in what is sent, and its address is Runyard’s own', () => {
    const sent = { build_command: 'make', custom_url: 'https://mine', install_command: null }
    expect(withSourceConfig(stored, sent)).toEqual({ ...stored, build_command: 'make' })
  })

  it('keeps its repository', () => {
    expect(() => refuseImmutable(stored, { repo_url: stored.repo_url })).not.toThrow()
    expect(() =>
      refuseImmutable(stored, { repo_url: 'https://git.example.com/other.git' }),
    ).toThrow('source_config.repo_url cannot be changed')
  })
})
