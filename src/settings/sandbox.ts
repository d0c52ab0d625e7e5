/** How strictly projects are isolated from the operator's files. */
import type { SandboxSetting } from '../core/deployment/sandbox.ts'
import type { Settings } from './settings.ts'
import { rowOf } from './table.ts'

const NAME = 'RUNYARD_SANDBOX'
const USER = /^user:([a-z_][\w.-]{0,31}|\d{1,10})$/i

export function readSandbox(settings: Settings): SandboxSetting {
  const text = settings.value(NAME)?.trim() || rowOf(NAME).default
  if (text === 'off' || text === 'auto') return { mode: text }
  const setting: SandboxSetting = { mode: 'given' }
  for (const part of text.split(',').map((one) => one.trim())) {
    const user = USER.exec(part)?.[1]
    if (part === 'bwrap') setting.isBubblewrap = true
    else if (user !== undefined) setting.user = user
    else settings.problem(NAME, `must be off, auto, bwrap, user:NAME or both, not "${text}"`)
  }
  if (setting.user === 'root' || Number(setting.user) === 0) {
    settings.problem(NAME, 'must name another user than root')
  }
  return setting
}
