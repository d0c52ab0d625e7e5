/** A digest over the rows of a table, in any order. */
import { createHash, hash } from 'node:crypto'
import type { Table } from '../../core/picture.ts'

const BITS = 256

/**
 * The sum of the rows' SHA-256. A row that is changed, added or lost by accident changes the sum; it is no protection
 * from rows that an attacker makes.
 */
export class RowDigest {
  #sum = 0n
  rows = 0

  add(line: string): void {
    this.rows += 1
    this.#sum += BigInt(`0x${hash('sha256', line)}`)
  }

  /** Includes the columns: rows of other columns are other rows. */
  toString({ columns }: Pick<Table, 'columns'>): string {
    const head = columns.map(({ name, kind }) => `${name} ${kind}`).join('\n')
    const sum = BigInt.asUintN(BITS, this.#sum).toString(16)
    return createHash('sha256').update(`${head}\n${sum}`).digest('hex')
  }
}
