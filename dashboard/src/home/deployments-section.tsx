import type { Deployment } from '@runyard/client'
import { DeploymentState } from '../deployments/deployment-state.tsx'
import { Section, TextLink } from '../design/page.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'

/** Most deployments shown; the others are on their own page. */
const SHOWN = 8

/** The deployments that changed most recently. */
export function DeploymentsSection({ deployments }: { deployments: readonly Deployment[] }) {
  const rows = deployments.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))
  const all = deployments.length > SHOWN ? `All ${deployments.length}` : 'All deployments'
  return (
    <Section title="Deployments" actions={<TextLink to="/deployments">{all}</TextLink>}>
      <Table
        label="Deployments"
        columns={COLUMNS}
        rows={rows.slice(0, SHOWN)}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/deployments/${id}`}
      />
    </Section>
  )
}

const COLUMNS: readonly Column<Deployment>[] = [
  {
    id: 'name',
    header: 'Name',
    isRowHeader: true,
    isWide: true,
    cell: ({ name, display_name }) => <span className="font-medium">{display_name ?? name}</span>,
  },
  { id: 'state', header: 'State', cell: (one) => <DeploymentState deployment={one} /> },
  {
    id: 'changed',
    header: 'Changed',
    from: 'sm',
    cell: ({ updated_at }) => <Time at={updated_at} />,
  },
]
