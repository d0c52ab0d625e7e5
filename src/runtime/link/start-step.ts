/** A step of an agent server's start, as people read it. */

/** `imports ./src/agent.py, for 52 s`; `since`: of `performance.now()`. */
export function stepFor(doing: string, since: number): string {
  return `${doing}, for ${Math.round((performance.now() - since) / 1000)} s`
}
