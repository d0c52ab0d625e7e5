/** Readers of option values that are not plain text. Other values are wrong usage. */
import { InvalidArgumentError } from 'commander'

export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (Number.isInteger(count) && count >= 1 && count <= most) return count
    throw new InvalidArgumentError(`It must be a number from 1 to ${most}.`)
  }
}
