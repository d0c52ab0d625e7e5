/** The URL and the key with which a command calls its control plane. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isThisMachine } from '../core/network/this-machine.ts'
import type { Settings } from './settings.ts'
import { rowOf } from './table.ts'

export function readControlPlaneUrl(settings: Settings): string {
  const given = settings.given('RUNYARD_URL')
  return given ? settings.asBaseUrl(...given) : rowOf('RUNYARD_URL').default
}

/** Reads the key. The key of this machine's own installation is never sent to another machine. */
export function readControlPlaneKey(
  settings: Settings,
  url: string,
): { apiKey: string; keySource: string } {
  const given = settings.given('RUNYARD_API_KEY')
  if (given) return { keySource: given[0], apiKey: asKey(settings, ...given) }
  const file = resolve(
    settings.value('RUNYARD_DATA_DIR') ?? rowOf('RUNYARD_DATA_DIR').default.up,
    'admin.key',
  )
  const isHere = isThisMachine(URL.parse(url)?.hostname ?? '')
  const apiKey = isHere && existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (apiKey === '') {
    const or = isHere ? `, or run this where the data folder is: there is no ${file}` : ''
    settings.problem('RUNYARD_API_KEY', `is not set, nor is --api-key: set one of them${or}`)
  }
  return { apiKey, keySource: file }
}

function asKey(settings: Settings, name: string, text: string): string {
  const key = text.trim()
  if (!/^[\x21-\x7e]+$/.test(key)) {
    settings.problem(name, 'must be printable characters without spaces')
  }
  return key
}
