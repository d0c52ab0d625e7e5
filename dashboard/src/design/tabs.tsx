import type { ReactNode } from 'react'
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components'

/** Views within a card that have no address of their own. */
export function Tabs(props: {
  label: string
  tabs: readonly { id: string; label: string; content: ReactNode }[]
}) {
  return (
    <AriaTabs>
      <TabList aria-label={props.label} className="mb-3 flex gap-1 border-b border-line">
        {props.tabs.map(({ id, label }) => (
          <Tab
            key={id}
            id={id}
            className="-mb-px cursor-default border-b-2 border-transparent px-3 py-1.5 text-ink-soft hover:text-ink data-selected:border-accent data-selected:font-medium data-selected:text-ink"
          >
            {label}
          </Tab>
        ))}
      </TabList>
      {props.tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="outline-offset-4">
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
