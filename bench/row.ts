/** Rows: figures and the floors that they are compared with. */

export type Unit =
  | 'runs/s'
  | 'events/s'
  | 'requests/s'
  | 'ms'
  | 'µs'
  | 'MB'
  | 'bytes'
  | 'threads'
  | 'tokens/s'
  | '%'

export interface Row {
  name: string
  /** A description of the figure. */
  title: string
  /** Of the figure, or of each of its numbers by its name. */
  unit: Unit | ((told: string) => Unit)
  /** How often figure and floors are measured, alternating. */
  pairs: number
  /** Prepares and warms up everything for the first measurement. */
  open(): Promise<OpenRow>
}

/** A number, or several numbers of one measurement by name; figure and floors have the same names. */
export type Measured = number | Readonly<Record<string, number>>

export interface OpenRow {
  figure(): Promise<Measured>
  /** By name: the same work with as little as possible around it. */
  floors: Readonly<Record<string, () => Promise<Measured>>>
  close(): Promise<void>
}

/** One figure and one floor: medians of all pairs, and their single values. */
export interface Result {
  name: string
  title: string
  unit: Unit
  figure: number
  floorName: string
  floor: number
  /** Median of figure / floor, pair by pair: other load on the machine affects both. */
  ratio: number
  figures: number[]
  floors: number[]
}

/**
 * Measures figure and floors in turn, and returns one result for each floor and each number of the
 * figure. If there are several numbers, a result's name is that of the row and the number.
 */
export async function measure(row: Row): Promise<Result[]> {
  const open = await row.open()
  try {
    const figures: Measured[] = []
    const floors = new Map(Object.keys(open.floors).map((name) => [name, [] as Measured[]]))
    for (let pair = 0; pair < row.pairs; pair++) {
      figures.push(await open.figure())
      for (const [name, floor] of Object.entries(open.floors)) floors.get(name)?.push(await floor())
    }
    return [...floors].flatMap(([floorName, values]) => resultsOf(row, figures, floorName, values))
  } finally {
    await open.close()
  }
}

function resultsOf(row: Row, figures: Measured[], floorName: string, floors: Measured[]): Result[] {
  const [first = Number.NaN] = figures
  if (typeof first === 'number') {
    return [
      resultOf(row, '', { figures: figures as number[], floorName, floors: floors as number[] }),
    ]
  }
  const numbers = (all: Measured[], told: string) => all.map((one) => Object(one)[told] as number)
  return Object.keys(first).map((told) =>
    resultOf(row, told, {
      figures: numbers(figures, told),
      floorName,
      floors: numbers(floors, told),
    }),
  )
}

/** `told`: the name of this number; empty: the only one. */
function resultOf(
  { name, title, unit }: Row,
  told: string,
  { figures, floorName, floors }: Pick<Result, 'figures' | 'floorName' | 'floors'>,
): Result {
  const ratios = figures.map((figure, i) => figure / (floors[i] ?? Number.NaN))
  return {
    name: told ? `${name} ${told}` : name,
    title: told ? `${title}: ${told}` : title,
    unit: typeof unit === 'function' ? unit(told) : unit,
    figure: median(figures),
    floorName,
    floor: median(floors),
    ratio: median(ratios),
    figures,
    floors,
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [below = Number.NaN, above = Number.NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? above : (below + above) / 2
}
