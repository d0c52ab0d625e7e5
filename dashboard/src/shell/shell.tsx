/** The frame of every page: the rail, the top bar, and toasts. */
import { Outlet, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { RouterProvider as AriaRouter } from 'react-aria-components'
import { Toasts } from '../design/toast.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { type Overlay, useShortcuts } from './keyboard/shortcuts.ts'
import { PlacesDrawer } from './places-drawer.tsx'
import { Rail } from './rail.tsx'
import { TopBar } from './top-bar.tsx'

const Palette = lazy(async () => ({ default: (await import('./keyboard/palette.tsx')).Palette }))
const HelpSheet = lazy(async () => ({
  default: (await import('./keyboard/help-sheet.tsx')).HelpSheet,
}))

export function Shell() {
  const router = useRouter()
  const [overlay, setOverlay] = useState<Overlay>()
  const close = () => setOverlay(undefined)
  useShortcuts(setOverlay)
  return (
    <AriaRouter
      navigate={(to) => void router.navigate({ to })}
      useHref={(to) => router.buildLocation({ to }).href}
    >
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        To the page
      </a>
      <div className="flex min-h-dvh">
        <Rail />
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar onOpen={setOverlay} />
          <ConnectionNote />
          <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
            <Outlet />
          </main>
        </div>
      </div>
      <PlacesDrawer isOpen={overlay === 'places'} onClose={close} />
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} onHelp={() => setOverlay('help')} />}
        {overlay === 'help' && <HelpSheet onClose={close} />}
      </Suspense>
      <Toasts />
    </AriaRouter>
  )
}
