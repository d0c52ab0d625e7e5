import { dataOf } from '@runyard/client'
import { useState } from 'react'
import { controlPlane } from '../../api/control-plane.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { reasonOf } from '../../design/error-note.tsx'
import { KeyRound } from '../../design/icon.gen.tsx'
import { TextLink } from '../../design/page.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { CodeBlock } from '../../design/text/code-block.tsx'
import { toast } from '../../design/toast.tsx'
import { SNIPPETS } from './snippets.ts'

const NO_KEY = 'YOUR_API_KEY'

/** How programs call the agent: with its real address, and with a new key on demand. */
export function CallIt(props: { url: string; assistant: string; name: string }) {
  const { url, assistant, name } = props
  const [key, setKey] = useState(NO_KEY)
  return (
    <div className="flex h-full flex-col">
      <Tabs
        label="Languages"
        tabs={SNIPPETS.map(({ id, label, install, text }) => ({
          id,
          label,
          content: (
            <div className="space-y-2">
              {install && <CodeBlock text={install} label="What to install" />}
              <CodeBlock text={text({ url, assistant, key })} label={`Called with ${label}`} />
            </div>
          ),
        }))}
      />
      <KeyOffer name={name} isMade={key !== NO_KEY} onMade={setKey} />
    </div>
  )
}

function KeyOffer(props: { name: string; isMade: boolean; onMade: (key: string) => void }) {
  const mayMake = useMay('administer')
  const [isPending, setPending] = useState(false)
  const make = async () => {
    setPending(true)
    try {
      const body = { name: `calls ${props.name}`, role: 'agent' } as const
      const made = await dataOf(controlPlane.api.POST('/v2/api-keys', { body }))
      props.onMade(made.key)
    } catch (error) {
      toast(`No key was created. ${reasonOf(error)}`, { tone: 'bad' })
    }
    setPending(false)
  }
  if (props.isMade) {
    return (
      <p className="mt-3 text-sm text-ink-soft">
        The key stands above, and is shown this once. It calls agents and nothing else; you can{' '}
        <TextLink to="/settings/keys">revoke it</TextLink>.
      </p>
    )
  }
  if (!mayMake) {
    return (
      <p className="mt-3 text-sm text-ink-soft">An admin of this workspace can make you a key.</p>
    )
  }
  return (
    <div className="mt-3 flex flex-wrap items-center gap-3">
      <Button
        size="sm"
        icon={<KeyRound size={14} />}
        isPending={isPending}
        onPress={() => void make()}
      >
        Create a key
      </Button>
      <span className="text-sm text-ink-soft">It can only call agents.</span>
    </div>
  )
}
