/** For operators: is anything queueing, failing, growing? */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { agentServer, atAGlance } from '../api/agent-server.tsx'
import { answeringQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { SelectField } from '../design/field.tsx'
import { Page, Section } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { Toggle } from '../design/toggle.tsx'
import { useAddress } from '../shell/address.ts'
import { Charts, OwnCharts } from './charts.tsx'
import { DeploymentsTable } from './deployments-table.tsx'
import { FailedThreads } from './failed-threads.tsx'
import { Now } from './now.tsx'
import {
  deploymentFigures,
  type Glance,
  installationFigures,
  type Series,
  workspaceFigures,
} from './queries.ts'
import { operationsSearch, RANGES, type RangeName } from './search.ts'
import { SlowestRuns } from './slowest-runs.tsx'

const ALL = 'all'

export function OperationsPage() {
  const [{ range, deployment, sort }, change] = useAddress(operationsSearch)
  const all = useQuery(workspaceFigures(range))
  const answering = useQuery(answeringQuery()).data
  const chosen = all.data?.deployments.find((one) => one.deployment_id === deployment)
  const asked = chosen?.deployment_id
  // Data from the agent servers themselves; a sleeping one is not woken.
  const servers = useMemo(() => {
    const awake = answering?.awake.filter(({ id }) => asked === undefined || id === asked) ?? []
    return awake.map((one) => atAGlance(agentServer(one)))
  }, [answering, asked])
  const choices = (all.data?.deployments ?? []).map(({ deployment_id, name }) => ({
    value: deployment_id,
    label: name,
  }))
  return (
    <Page
      title="Operations"
      actions={
        <>
          <div className="w-52">
            <SelectField
              label="Deployment"
              isLabelHidden
              value={chosen?.deployment_id ?? ALL}
              onChange={(id) => change({ deployment: id === ALL ? undefined : id })}
              choices={[{ value: ALL, label: 'All deployments' }, ...choices]}
            />
          </div>
          <Toggle
            label="Time range"
            value={range}
            onChange={(value) => change({ range: value })}
            choices={CHOICES}
          />
        </>
      }
    >
      <QueryView query={all} what="the figures" skeleton={<Waiting />}>
        {(data) => (
          <>
            {chosen ? (
              <OneDeployment range={range} id={chosen.deployment_id} />
            ) : (
              <Over series={data} now={data.now} total={data.total} range={range} />
            )}
            <Section title="By deployment">
              <DeploymentsTable
                deployments={data.deployments}
                sort={sort}
                onSort={(by) => change({ sort: by }, { replace: true })}
              />
            </Section>
            <FailedThreads servers={servers} />
            <SlowestRuns servers={servers} range={range} />
            {!chosen && <ControlPlane range={range} />}
          </>
        )}
      </QueryView>
    </Page>
  )
}

function OneDeployment({ range, id }: { range: RangeName; id: string }) {
  const query = useQuery(deploymentFigures(range, id))
  return (
    <QueryView query={query} what="the figures of the deployment" skeleton={<Waiting />}>
      {(data) => <Over series={data} now={data.now} total={data.total} range={range} />}
    </QueryView>
  )
}

function Over(props: { series: Series; range: RangeName } & Pick<Glance, 'now' | 'total'>) {
  const { series, now, total, range } = props
  return (
    <div className="mb-8">
      <Now now={now ?? null} total={total ?? null} time={wordsOf(range)} />
      <Charts series={series} time={wordsOf(range)} />
    </div>
  )
}

/** For users who may run the installation. */
function ControlPlane({ range }: { range: RangeName }) {
  const mayOperate = useMay('operate')
  const query = useQuery({ ...installationFigures(range), enabled: mayOperate })
  if (!mayOperate) return null
  return (
    <Section title="Control plane">
      <QueryView query={query} what="the figures of the control plane">
        {({ control_plane, ...of }) => (
          <OwnCharts series={{ ...of, points: control_plane }} time={wordsOf(range)} />
        )}
      </QueryView>
    </Section>
  )
}

function Waiting() {
  return (
    <div className="space-y-6">
      <Skeleton lines={2} />
      <Skeleton lines={8} />
    </div>
  )
}

function wordsOf(range: RangeName): string {
  return RANGES[range] === 1 ? 'last hour' : `last ${RANGES[range]} hours`
}

const CHOICES = (Object.keys(RANGES) as RangeName[]).map((value) => ({
  value,
  label: `${RANGES[value]} h`,
}))
