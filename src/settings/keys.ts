/** The keys of an installation. */
import { type Settings, splitList } from './settings.ts'

/** `undefined`: the first start makes one. */
export function readAdminKey(settings: Settings): string | undefined {
  const key = settings.value('RUNYARD_ADMIN_KEY')
  if (key !== undefined && !/^[\x21-\x7e]{8,512}$/.test(key)) {
    settings.problem('RUNYARD_ADMIN_KEY', 'must be 8 to 512 printable characters without spaces')
  }
  return key
}

export function readEncryptionKeys(
  settings: Settings,
  variable: 'RUNYARD_ENCRYPTION_KEY' | 'RUNYARD_ENCRYPTION_KEY_OLD',
): Buffer[] {
  const keys = splitList(settings.value(variable)).map((text) => Buffer.from(text, 'base64'))
  for (const { length } of keys) {
    if (length !== 32) settings.problem(variable, `must be 32 bytes in base64, these are ${length}`)
  }
  return keys
}
