import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { familyResidentBytes, residentBytes, watchGroup } from './memory.ts'

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

/** The other one ends at once, and its parent, which is `sleep` then, never asks how. */
const NEGLECT = "setsid sh -c 'echo $$' & exec sleep 100"

it.skipIf(!isLinux)('does not count what has ended and nobody has asked for', async () => {
  const child = spawn('/bin/sh', ['-c', NEGLECT], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const group = child.pid ?? 0
  try {
    const [line] = await once(child.stdout, 'data')
    const ended = Number(line)
    const watch = watchGroup(group)
    expect(await watch.isRunning()).toBe(true)
    const { isRunning } = watchGroup(ended)
    await vi.waitFor(async () => expect(await isRunning()).toBe(false))
    // What it has learned of others does not change that.
    expect(await watch.isRunning()).toBe(true)
    // It is there still: it could be sent a signal.
    expect(process.kill(-ended, 0)).toBe(true)
  } finally {
    process.kill(-group, 'SIGKILL')
  }
})
