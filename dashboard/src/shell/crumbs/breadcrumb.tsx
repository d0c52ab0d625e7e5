/** The breadcrumb, in names: workspace / deployment / … */
import { Link, useLocation } from '@tanstack/react-router'
import { Fragment } from 'react'
import { MODE } from '../../api/mode.ts'
import { classes } from '../../design/classes.ts'
import { ChevronRight } from '../../design/icon.gen.tsx'
import { WorkspaceSwitcher } from '../workspace-switcher.tsx'
import { type Crumb, crumbsOf } from './crumbs.ts'
import { CrumbName } from './name.tsx'

export function Breadcrumb() {
  const pathname = useLocation({ select: (location) => location.pathname })
  const crumbs = crumbsOf(pathname, MODE === 'control-plane' ? 'Home' : 'Studio')
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1 text-sm">
        {MODE === 'control-plane' && (
          <li className="shrink-0 max-md:hidden">
            <WorkspaceSwitcher />
          </li>
        )}
        {crumbs.map((crumb, at) => (
          <Fragment key={crumb.key}>
            {(at > 0 || MODE === 'control-plane') && (
              <ChevronRight
                size={14}
                aria-hidden="true"
                className={classes(
                  'shrink-0 text-ink-faint',
                  at === 0 ? 'max-md:hidden' : 'max-sm:hidden',
                )}
              />
            )}
            <li className={classes('min-w-0', at < crumbs.length - 1 && 'max-sm:hidden')}>
              <Step crumb={crumb} isLast={at === crumbs.length - 1} />
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  )
}

function Step({ crumb, isLast }: { crumb: Crumb; isLast: boolean }) {
  const name = <CrumbName crumb={crumb} />
  if (isLast || !crumb.to) {
    return (
      <span
        {...(isLast && { 'aria-current': 'page' as const })}
        className={classes('block truncate px-1', isLast ? 'font-medium' : 'text-ink-soft')}
      >
        {name}
      </span>
    )
  }
  return (
    <Link
      to={crumb.to}
      className="block truncate rounded-sm px-1 text-ink-soft hover:bg-hover hover:text-ink"
    >
      {name}
    </Link>
  )
}
