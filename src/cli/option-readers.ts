/** Readers of option values that are not plain text. Other values are wrong usage. */
import { InvalidArgumentError } from 'commander'

export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (Number.isInteger(count) && count >= 1 && count <= most) return count
    throw new InvalidArgumentError(`It must be a number from 1 to ${most}.`)
  }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export function threadId(text: string): string {
  if (UUID.test(text)) return text
  throw new InvalidArgumentError('It must be a UUID: "runyard threads NAME" lists the threads.')
}
