import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { familyResidentBytes, residentBytes } from './memory.ts'

/** Starts another one in a group of its own, and says which. */
const PARENT = `
  const { pid } = require('node:child_process').spawn('sleep', ['100'], { detached: true })
  console.log(pid)
  setInterval(() => {}, 1000)`

const isLinux = process.platform === 'linux'

it.skipIf(!isLinux)('counts what a process has started, in other groups too', async () => {
  const child = spawn(process.execPath, ['-e', PARENT], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const [pid, grandchild] = [child.pid ?? 0, Number(line)]
  try {
    const [family, own] = [await familyResidentBytes(pid), await residentBytes(pid)]
    expect(own).toBeGreaterThan(0)
    expect(family).toBeGreaterThan(own)
    expect(await familyResidentBytes(process.pid)).toBeGreaterThan(family)
  } finally {
    process.kill(grandchild, 'SIGKILL')
    child.kill('SIGKILL')
  }
})
