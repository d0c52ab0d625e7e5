import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { z } from 'zod'
import { classes } from '../../design/classes.ts'
import { ErrorNote } from '../../design/error-note.tsx'
import { Section } from '../../design/page.tsx'
import { bytesText, clockFormat, countText } from '../../design/text/format.ts'
import type { ChartName } from '../../operations/charts.tsx'
import { type FigureTexts, requestsFigure, runsFigure, timesFigure } from '../../operations/now.tsx'
import { deploymentFigures, type Point } from '../../operations/queries.ts'
import { useAddress } from '../../shell/address.ts'

/** Loaded after the figures: it draws with a library that is larger than the rest of the page. */
const OneChart = lazy(async () => ({
  default: (await import('../../operations/charts.tsx')).OneChart,
}))

interface Tile {
  chart: ChartName
  figure: (total: Point | null, now: Point | null) => FigureTexts
  /** Default: the last hour. */
  time?: 'now'
}

const TILES: readonly Tile[] = [
  { chart: 'requests', figure: requestsFigure },
  { chart: 'answers', figure: (total) => timesFigure('Request time', total?.request_seconds) },
  { chart: 'runs', figure: runsFigure },
  { chart: 'duration', figure: (total) => timesFigure('Run time', total?.duration_seconds) },
  { chart: 'token', figure: (total) => timesFigure('First token', total?.first_token_seconds) },
  { chart: 'tokens', figure: tokensFigure },
  {
    chart: 'memory',
    time: 'now',
    figure: nowFigure('Memory', (one) => bytesText(one.memory_bytes), 'at most', 'in the hour'),
  },
  {
    chart: 'processor',
    time: 'now',
    figure: nowFigure(
      'Processors',
      (one) => one.cpu_cores.toFixed(2),
      '',
      'on average while it ran',
    ),
  },
]

const Search = z.object({
  chart: z
    .enum(TILES.map(({ chart }) => chart))
    .default('requests')
    .catch('requests'),
})

export function useLastHour(deployment_id: string) {
  return useQuery(deploymentFigures('1h', deployment_id))
}

/** What the deployment did in the last hour: figures, each with its chart. They outlive revisions and servers. */
export function LastHour({ query }: { query: ReturnType<typeof useLastHour> }) {
  const [{ chart }, change] = useAddress(Search, { resetScroll: false })
  const { data } = query
  const isKnown = data !== undefined
  return (
    <Section title="Last hour" actions={data && <Range from={data.from} to={data.to} />}>
      {query.error && <ErrorNote error={query.error} title="Could not read the figures." />}
      <Tabs
        selectedKey={chart}
        onSelectionChange={(key) => change({ chart: key as ChartName }, { replace: true })}
      >
        <TabList
          aria-label="Figures"
          className="grid grid-cols-2 gap-px overflow-hidden rounded-t-lg border border-line bg-line lg:grid-cols-4"
        >
          {TILES.map((tile) => {
            const { name, value, note, isBad } = tile.figure(data?.total ?? null, data?.now ?? null)
            return (
              <Tab
                key={tile.chart}
                id={tile.chart}
                className="cursor-default bg-surface px-4 py-2.5 hover:bg-hover data-focus-visible:-outline-offset-2 data-selected:bg-accent-soft"
              >
                <span className="block text-sm text-ink-soft">
                  <span className="font-medium max-sm:block">{name}</span>{' '}
                  {tile.time ?? 'last hour'}
                </span>
                <span className="block text-xl font-semibold tabular-nums">
                  {isKnown ? value : '–'}
                </span>
                <span className={classes('block text-sm', isBad ? 'text-bad' : 'text-ink-soft')}>
                  {isKnown ? note : '–'}
                </span>
              </Tab>
            )
          })}
        </TabList>
        <TabPanel
          key={chart}
          id={chart}
          className="min-h-55 [&>figure]:rounded-t-none [&>figure]:border-t-0"
        >
          {data && (
            <Suspense>
              <OneChart name={chart} series={data} time="last hour" />
            </Suspense>
          )}
        </TabPanel>
      </Tabs>
    </Section>
  )
}

function Range({ from, to }: { from: string; to: string }) {
  return (
    <span className="text-sm text-ink-soft tabular-nums">
      {`${clockFormat.format(new Date(from))} to ${clockFormat.format(new Date(to))}`}
    </span>
  )
}

function tokensFigure(total: Point | null): FigureTexts {
  const { input = 0, output = 0 } = total?.tokens ?? {}
  const note = `${countText(input)} in, ${countText(output)} out`
  return { name: 'Tokens', value: countText(input + output), note }
}

function nowFigure(name: string, text: (one: Point) => string, before: string, after: string) {
  return (total: Point | null, now: Point | null): FigureTexts => ({
    name,
    value: now ? text(now) : '–',
    note: total ? `${before} ${text(total)} ${after}`.trim() : 'nothing ran in the hour',
  })
}
