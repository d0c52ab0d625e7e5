/** The places on the left: with names, or as icons if there is little room. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { MODE } from '../api/mode.ts'
import { IconButton } from '../design/button.tsx'
import { classes } from '../design/classes.ts'
import { PanelLeftClose, PanelLeftOpen } from '../design/icon.gen.tsx'
import { Logo } from './logo.tsx'
import { PLACES, type Place } from './places.tsx'

const KEY = 'runyard.rail'

export function Rail() {
  const [isFolded, setFolded] = useState(() => localStorage.getItem(KEY) === 'folded')
  const fold = () => {
    localStorage.setItem(KEY, isFolded ? 'open' : 'folded')
    setFolded(!isFolded)
  }
  const isLabelled = isFolded ? 'hidden' : 'max-lg:hidden'
  return (
    <nav
      aria-label="Places"
      className={classes(
        'sticky top-0 flex h-dvh shrink-0 flex-col border-r border-line bg-surface max-sm:hidden',
        isFolded ? 'w-13' : 'w-48 max-lg:w-13',
      )}
    >
      <Link
        to="/"
        aria-label="Runyard"
        className="flex h-bar items-center gap-2.5 px-4 font-semibold"
      >
        <Logo />
        <span className={isLabelled}>Runyard</span>
      </Link>
      <div className="flex-1 space-y-0.5 overflow-y-auto p-2">
        {PLACES[MODE].map((place) => (
          <PlaceLink key={place.to} place={place} labelled={isLabelled} />
        ))}
      </div>
      <div className="p-3 max-lg:hidden">
        <IconButton
          label={isFolded ? 'Show the names of places' : 'Show icons only'}
          icon={isFolded ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
          onPress={fold}
        />
      </div>
    </nav>
  )
}

/** `labelled`: classes of the name, which may hide it; screen readers read it all the same. */
export function PlaceLink(props: { place: Place; labelled?: string; onPress?: () => void }) {
  const { to, label, icon } = props.place
  return (
    <Link
      to={to}
      title={props.labelled ? label : undefined}
      aria-label={label}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      onClick={props.onPress}
      className="flex h-8 items-center gap-2.5 rounded-md px-2.5 text-ink-soft hover:bg-hover hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:font-medium data-[status=active]:text-accent"
    >
      <span className="shrink-0">{icon}</span>
      <span className={classes('truncate', props.labelled)}>{label}</span>
    </Link>
  )
}
