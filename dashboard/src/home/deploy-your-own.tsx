import type { Deployment } from '@runyard/client'
import { NewDeploymentForm } from '../deployments/new/new-deployment-form.tsx'
import { Section } from '../design/page.tsx'
import { Tabs } from '../design/tabs.tsx'
import { CodeBlock } from '../design/text/code-block.tsx'

/** Three ways to deploy one's own agent: a folder, a repository, a command. */
export function DeployYourOwn({ deployments }: { deployments: readonly Deployment[] }) {
  const form = (from: 'folder' | 'git') => (
    <div className="max-w-3xl">
      <NewDeploymentForm from={from} deployments={deployments} givenName="" />
    </div>
  )
  return (
    <Section title="Deploy your own">
      <Tabs
        label="Where it comes from"
        tabs={[
          { id: 'folder', label: 'Drop a folder', content: form('folder') },
          { id: 'git', label: 'From git', content: form('git') },
          { id: 'command', label: 'By a command', content: <Command /> },
        ]}
      />
    </Section>
  )
}

function Command() {
  return (
    <div className="max-w-3xl space-y-3">
      <p className="text-ink-soft">
        In the folder with your <code>langgraph.json</code>. The first line is for a machine that
        has not signed in yet; with <code>runyard new my-agent</code> you begin from a template.
      </p>
      <CodeBlock
        label="To deploy by a command"
        text={`export RUNYARD_URL=${location.origin} RUNYARD_API_KEY=YOUR_API_KEY\nrunyard deploy . --name my-agent`}
      />
    </div>
  )
}
