import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { pagesOf } from '../../api/deployment-pages.ts'
import { meaningOfRevision } from '../../api/states.ts'
import { QueryView } from '../../design/query-view.tsx'
import { Badge, Status } from '../../design/status.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Id } from '../../design/text/id.tsx'
import { Elapsed, Time } from '../../design/text/time.tsx'
import { type RevisionWithHistory, revisionsQuery } from '../queries.ts'
import { originText } from '../revisions/origin-text.ts'
import { sourceTextOf } from '../revisions/source-text.ts'
import { tookMs } from '../revisions/stages.ts'

const COUNT = 5

export function RecentRevisions({ deployment }: { deployment: Deployment }) {
  const query = useQuery(revisionsQuery(deployment.id, COUNT))
  return (
    <QueryView query={query} what="the revisions">
      {(revisions) => (
        <Table
          label="Latest revisions"
          columns={columnsOf(deployment)}
          rows={revisions}
          keyOf={({ id }) => id}
          linkOf={({ id }) => pagesOf(deployment.id).revision(id)}
        />
      )}
    </QueryView>
  )
}

function columnsOf(deployment: Deployment): readonly Column<RevisionWithHistory>[] {
  return [
    {
      id: 'number',
      header: 'Revision',
      isRowHeader: true,
      cell: ({ number }) => <span className="font-medium">#{number}</span>,
    },
    {
      id: 'state',
      header: 'State',
      cell: ({ id, status }) => {
        if (id === deployment.active_revision_id) return <Badge tone="good">Serving</Badge>
        const { word, tone } = meaningOfRevision(status)
        return status === 'DEPLOYED' ? (
          <Status tone="off">Replaced</Status>
        ) : (
          <Status tone={tone}>{word}</Status>
        )
      },
    },
    {
      id: 'source',
      header: 'Source',
      from: 'lg',
      cell: (revision) => {
        const { what, version } = sourceTextOf(revision, deployment)
        return (
          <span className="flex items-center gap-2">
            {what}
            {version && <Id id={version} isBare />}
          </span>
        )
      },
    },
    {
      id: 'origin',
      header: 'Created',
      from: 'md',
      cell: ({ history }) => history && originText(history),
    },
    {
      id: 'took',
      header: 'Took',
      align: 'right',
      from: 'sm',
      cell: ({ history }) => {
        const took = history && tookMs(history.steps)
        return took !== undefined && <Elapsed ms={took} />
      },
    },
    {
      id: 'at',
      header: 'When',
      align: 'right',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
}
