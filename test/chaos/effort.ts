/**
 * How long the fuzz, the property tests and the kill runs go on: short in `npm run test:slow`, whole in
 * `npm run chaos`, which sets `CHAOS=1`. `CHAOS_SEED` repeats what a seed gave before.
 */
/** Whether it is `npm run chaos`. */
export const isChaos = process.env.CHAOS === '1'

/**
 * Where all random choices start from, a 32-bit integer: `CHAOS_SEED`, which `npm run chaos` draws
 * anew each time. The short runs decide whether a change lands, so they make the same choices.
 */
export const SEED = Number(process.env.CHAOS_SEED ?? 20_261_120) | 0

/** The number for a short run, or for the whole one. */
export function effort(numbers: { short: number; whole: number }): number {
  return isChaos ? numbers.whole : numbers.short
}
