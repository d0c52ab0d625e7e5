/** Who made a revision and why, in a few words. */
import type { RevisionHistoryEntry } from '@runyard/client'

export function originText(entry: RevisionHistoryEntry): string | undefined {
  const { made_by, made_for, repeats } = entry
  const by = made_by === null ? '' : ` by ${made_by}`
  switch (made_for) {
    case null:
      return undefined
    case 'create':
      return `Created${by}`
    case 'change':
      return `Changed${by}`
    case 'push':
      return 'Pushed to the branch'
    case 'redeploy':
      return `#${repeats} deployed again${by}`
    case 'rollback':
      return `Back to #${repeats}${by}`
    case 'agent_key':
      return `#${repeats} with another agent key${by}`
    case 'take_back':
      return `Back to #${repeats}, since the one after it died at once`
  }
}
