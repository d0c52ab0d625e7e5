/** Reads the user that handlers and graphs see from the result of a project's `authenticate`. */
import type { AuthUser } from '../../../core/agent/authorization.ts'
import { AppError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'

/**
 * Reads an identity text, or an object with an identity and other fields. Nothing, and a user that is marked as not
 * authenticated, throw `unauthenticated`; anything else throws an `Error`.
 */
export function readUser(answer: unknown): AuthUser {
  if (typeof answer === 'string') return userWith({ identity: answer })
  if (answer === undefined || answer === null || answer === false) throw nobody()
  const fields = JSON.parse(JSON.stringify(answer)) as JsonObject
  if (typeof fields?.identity !== 'string') {
    throw new Error('authenticate must answer a text, or an object with the text "identity".')
  }
  return userWith({ ...fields, identity: fields.identity })
}

function userWith(fields: JsonObject & { identity: string }): AuthUser {
  const { identity, display_name, permissions, is_authenticated = true } = fields
  if (identity === '' || is_authenticated === false) throw nobody()
  const texts = Array.isArray(permissions) ? permissions : []
  return {
    ...fields,
    identity,
    display_name: typeof display_name === 'string' ? display_name : identity,
    is_authenticated: true,
    permissions: texts.filter((one) => typeof one === 'string'),
  }
}

function nobody(): AppError {
  return new AppError('unauthenticated', "The project's auth does not know who sent this request.")
}
