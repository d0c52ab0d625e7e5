/** What is measured, beside what it is measured against. */

export interface Row {
  name: string
  /** What the figure is. */
  title: string
  unit: 'runs/s' | 'events/s' | 'requests/s' | 'ms' | 'MB'
  /** How often figure and floors are measured, in turn. */
  pairs: number
  /** Everything that has to be there, or warm, before the first measurement. */
  open(): Promise<OpenRow>
}

export interface OpenRow {
  figure(): Promise<number>
  /** By name: the same work with as little around it as there can be. */
  floors: Readonly<Record<string, () => Promise<number>>>
  close(): Promise<void>
}

/** One figure and one floor: medians of all pairs, and what they were made of. */
export interface Result {
  name: string
  title: string
  unit: Row['unit']
  figure: number
  floorName: string
  floor: number
  /** Median of figure / floor, pair by pair: what else the machine did is in both. */
  ratio: number
  figures: number[]
  floors: number[]
}

/** Measures figure and floors in turn, and answers one result for each floor. */
export async function measure(row: Row): Promise<Result[]> {
  const open = await row.open()
  try {
    const figures: number[] = []
    const floors = new Map(Object.keys(open.floors).map((name) => [name, [] as number[]]))
    for (let pair = 0; pair < row.pairs; pair++) {
      figures.push(await open.figure())
      for (const [name, floor] of Object.entries(open.floors)) floors.get(name)?.push(await floor())
    }
    return [...floors].map(([floorName, values]) => resultOf(row, figures, floorName, values))
  } finally {
    await open.close()
  }
}

function resultOf(row: Row, figures: number[], floorName: string, floors: number[]): Result {
  const ratios = figures.map((figure, i) => figure / (floors[i] ?? Number.NaN))
  const { name, title, unit } = row
  const medians = { figure: median(figures), floor: median(floors), ratio: median(ratios) }
  return { name, title, unit, ...medians, floorName, figures, floors }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [below = Number.NaN, above = Number.NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? above : (below + above) / 2
}
