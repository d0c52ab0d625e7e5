import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { findInterpreter } from './interpreter.ts'

let root: string
let project: string

beforeEach(async () => {
  root = temporaryFolder()
  project = join(root, 'apps/agent')
  await mkdir(project, { recursive: true })
  await mkdir(join(root, '.git'))
})

/** A program that answers what a Python with this LangGraph would. */
async function putPython(at: string, version: string, langgraph: string | null): Promise<string> {
  const path = join(root, at, 'bin/python')
  await mkdir(dirname(path), { recursive: true })
  const answer = JSON.stringify({ path, version, langgraph, base: '/usr' })
  await writeFile(path, `#!/bin/sh\necho '${answer}'\n`)
  await chmod(path, 0o755)
  return path
}

const pathOf = async (env: Record<string, string> = {}) =>
  (await findInterpreter(project, { PATH: '', ...env })).path

describe('findInterpreter', () => {
  it('takes VIRTUAL_ENV before what uv has, and that before .venv', async () => {
    const venv = await putPython('apps/agent/.venv', '3.11.7', '1.2.22')
    expect(await pathOf()).toBe(venv)
    const ofUv = await putPython('apps/agent/envs/uv', '3.12.1', '1.2.22')
    expect(await pathOf({ UV_PROJECT_ENVIRONMENT: 'envs/uv' })).toBe(ofUv)
    const active = await putPython('active', '3.13.0', '1.2.22')
    const env = { UV_PROJECT_ENVIRONMENT: 'envs/uv', VIRTUAL_ENV: join(root, 'active') }
    expect(await pathOf(env)).toBe(active)
  })

  it('passes over those without LangGraph', async () => {
    await putPython('active', '3.13.0', null)
    const venv = await putPython('apps/agent/.venv', '3.11.7', '1.2.22')
    expect(await pathOf({ VIRTUAL_ENV: join(root, 'active') })).toBe(venv)
  })

  it('takes the .venv of a workspace', async () => {
    const path = await putPython('.venv', '3.11.7', '1.2.22')
    expect(await pathOf()).toBe(path)
  })

  it('says where it looked', async () => {
    await putPython('active', '3.13.0', null)
    const found = findInterpreter(project, { PATH: '', VIRTUAL_ENV: join(root, 'active') })
    await expect(found).rejects.toMatchObject({ code: 'bad_request' })
    await expect(found).rejects.toThrow(
      `VIRTUAL_ENV ${join(root, 'active')} (Python 3.13.0, without LangGraph), ` +
        `${join(project, '.venv')} (not there), the machine's python3 (not there)`,
    )
  })

  it('refuses a LangGraph and a Python that are too old', async () => {
    await putPython('apps/agent/.venv', '3.11.7', '0.6.8')
    await expect(pathOf()).rejects.toThrow('LangGraph 0.6.8, and Runyard needs 1.0 or newer')
    await putPython('apps/agent/.venv', '3.10.2', '1.2.22')
    await expect(pathOf()).rejects.toThrow('is Python 3.10.2, and Runyard needs 3.11 or newer')
  })
})
