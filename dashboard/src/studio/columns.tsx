/** The Studio's three columns, of the widths that the user gave them. A narrow screen shows one at a time. */
import { Fragment, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '../design/button.tsx'
import { classes } from '../design/classes.ts'
import { PanelLeft, PanelRight } from '../design/icon.gen.tsx'
import { COLUMNS, type ColumnName, useStudioSearch } from './search.ts'
import { Separator, useWidths } from './separator.tsx'
import { ViewButtons } from './view-buttons.tsx'

const LABELS: Record<ColumnName, string> = { graph: 'Graph', talk: 'Conversation', state: 'State' }

export function Columns({ parts }: { parts: Record<ColumnName, ReactNode> }) {
  const { search } = useStudioSearch()
  const open = useOpenColumns()
  const view = search.canvas ? 'graph' : (search.view ?? 'talk')
  const { ref, height } = useRoomBelow()
  const { widths, resize } = useWidths()
  return (
    <div
      ref={ref}
      style={{ height }}
      className="flex min-h-120 flex-col border-t border-line lg:flex-row"
    >
      {!search.canvas && <NarrowTabs view={view} />}
      {COLUMNS.map((name) => {
        const isOpen = open.includes(name)
        const before = open[open.indexOf(name) - 1]
        return (
          <Fragment key={name}>
            {isOpen && before && (
              <Separator
                label={`Width of ${LABELS[before]}`}
                before={before}
                after={name}
                widths={widths}
                resize={resize}
              />
            )}
            <section
              aria-label={LABELS[name]}
              data-column={name}
              style={{ flexGrow: widths[name] }}
              className={classes(
                'min-h-0 min-w-0 flex-1 basis-0 flex-col overflow-hidden',
                view === name ? 'flex' : 'max-lg:hidden',
                isOpen ? 'lg:flex' : 'lg:hidden',
              )}
            >
              {parts[name]}
            </section>
          </Fragment>
        )
      })}
    </div>
  )
}

/** The buttons in the page's head that fold and unfold the outer columns. */
export function ColumnButtons() {
  const { search, change } = useStudioSearch()
  const open = useOpenColumns()
  if (search.canvas) return null
  const toggle = (name: ColumnName) => {
    const after = COLUMNS.filter((one) => (one === name ? !open.includes(one) : open.includes(one)))
    change({ panels: after.length === COLUMNS.length ? undefined : after.join('.') })
  }
  return (
    <div className="flex max-lg:hidden">
      <IconButton
        label={open.includes('graph') ? 'Fold the graph away' : 'Show the graph'}
        icon={<PanelLeft size={16} />}
        onPress={() => toggle('graph')}
      />
      <IconButton
        label={open.includes('state') ? 'Fold the state away' : 'Show the state'}
        icon={<PanelRight size={16} />}
        onPress={() => toggle('state')}
      />
    </div>
  )
}

function NarrowTabs({ view }: { view: ColumnName }) {
  const { change } = useStudioSearch()
  return (
    <div className="flex shrink-0 border-b border-line bg-surface px-2 lg:hidden">
      <ViewButtons
        labels={LABELS}
        view={view}
        onChange={(name) => change({ view: name }, { replace: true })}
        className="flex-1 px-3 py-2"
      />
    </div>
  )
}

/** The conversation does not fold: it is the main part of the page. */
function useOpenColumns(): ColumnName[] {
  const { search } = useStudioSearch()
  if (search.canvas) return ['graph']
  const said = search.panels?.split('.')
  return COLUMNS.filter((name) => name === 'talk' || !said || said.includes(name))
}

/** The columns fill the window below the head, and each scrolls by itself. */
function useRoomBelow() {
  const ref = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const box = ref.current?.getBoundingClientRect()
      if (box) setTop(Math.round(box.top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  return { ref, height: `calc(100dvh - ${top}px)` }
}
