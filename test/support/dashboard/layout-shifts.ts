/** What has moved on a page by itself, as Chromium scores it. */
import type { Page } from 'playwright-core'

/** The page records its layout shifts from its next load on. */
export async function recordShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.shifts = []
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries()))
      .observe({ type: 'layout-shift', buffered: true })`)
}

interface LayoutShifts {
  /** The sum of all shifts that no input caused. */
  score: number
  /** The larger ones: score, time and what moved. */
  larger: string[]
}

export function layoutShifts(page: Page): Promise<LayoutShifts> {
  return page.evaluate<LayoutShifts>(`(() => {
    const shifts = window.shifts.filter((one) => !one.hadRecentInput)
    const textOf = ({ node }) => (node?.textContent ?? '').slice(0, 40)
    return {
      score: shifts.reduce((sum, { value }) => sum + value, 0),
      larger: shifts
        .filter(({ value }) => value > 0.005)
        .map(({ value, startTime, sources }) =>
          value.toFixed(3) + ' after ' + Math.round(startTime) + ' ms: ' +
          sources.map(textOf).join(' | ')),
    }
  })()`)
}
