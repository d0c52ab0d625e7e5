/** Progress of `move`, `backup` and `restore`. */
import type { Progress } from '../../storage/carrying/carry.ts'

export interface Reporter extends Progress {
  /** Ends the progress: nothing more is shown. */
  end(hasFailed: boolean): void
}

/** How often the number of rows is shown, in ms. */
const SHOWN_EVERY_MS = 1_000

interface Screen {
  step(name: string): void
  line(text: string): void
  end(hasFailed: boolean): void
}

/** Shows steps and, now and then, the rows of the present table. */
export function createReporter(screen: Screen): Reporter {
  let step = ''
  let now: { table: string; of: string; rows: number; shownAt: number } | undefined
  return {
    step(name) {
      if (name !== step) screen.step(name)
      step = name
      now = undefined
    },
    table(table, total) {
      now = { table, of: total === undefined ? '' : ` of ${total}`, rows: 0, shownAt: Date.now() }
      if (total) screen.line(`${table}: ${total} rows`)
    },
    rows(count) {
      now ??= { table: 'all', of: '', rows: 0, shownAt: Date.now() }
      now.rows += count
      if (Date.now() - now.shownAt < SHOWN_EVERY_MS) return
      now.shownAt = Date.now()
      screen.line(`${now.table}: ${now.rows}${now.of} rows`)
    },
    end: (hasFailed) => screen.end(hasFailed),
  }
}
