import { classes } from '../../design/classes.ts'
import { Mark, type Tone } from '../../design/status.tsx'
import { Duration } from '../../design/text/time.tsx'
import type { Stage } from './stages.ts'

const LOOKS: Record<Stage['state'], { tone: Tone; bar: string; word: string }> = {
  done: { tone: 'good', bar: 'bg-good', word: 'done' },
  live: { tone: 'live', bar: 'bg-accent animate-pulse', word: 'going on' },
  failed: { tone: 'bad', bar: 'bg-bad', word: 'failed' },
  stopped: { tone: 'off', bar: 'bg-off', word: 'stopped' },
  open: { tone: 'off', bar: 'bg-off-soft', word: 'not yet' },
}

/** The stages of a rollout side by side, each with its time; the current one counts up. */
export function RolloutBar({ stages }: { stages: readonly Stage[] }) {
  return (
    <ol aria-label="Stages" className="flex gap-1.5">
      {stages.map((stage) => (
        <li key={stage.name} className="min-w-0 flex-1">
          <div className={classes('mb-1.5 h-1 rounded-full', LOOKS[stage.state].bar)} />
          <p className="flex flex-wrap items-center gap-x-1.5 text-sm">
            <Mark tone={LOOKS[stage.state].tone} />
            <span className={stage.state === 'open' ? 'text-ink-faint' : 'font-medium'}>
              {stage.name}
            </span>
            <span className="sr-only">{LOOKS[stage.state].word}</span>
            {stage.from !== undefined && (
              <span className="text-ink-soft">
                <Duration from={stage.from} to={stage.to ?? null} />
              </span>
            )}
          </p>
        </li>
      ))}
    </ol>
  )
}
