import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { IconButton } from '../design/button.tsx'
import { Menu as MenuIcon, Monitor, Moon, Search, Sun } from '../design/icon.gen.tsx'
import { Menu, MenuItem } from '../design/menu.tsx'
import { Breadcrumb } from './crumbs/breadcrumb.tsx'
import { MOD, type Overlay } from './keyboard/shortcuts.ts'
import { MeMenu } from './me-menu.tsx'
import { chooseTheme, chosenTheme, THEME_NAMES, THEMES, type Theme } from './theme.ts'

/** The breadcrumb and the global actions. */
export function TopBar({ onOpen }: { onOpen: (overlay: Overlay) => void }) {
  return (
    <header className="sticky top-0 z-30 flex h-bar shrink-0 items-center gap-2 border-b border-line bg-canvas px-4 max-sm:px-2">
      <span className="sm:hidden">
        <IconButton label="Places" icon={<MenuIcon size={18} />} onPress={() => onOpen('places')} />
      </span>
      <Breadcrumb />
      <div className="ml-auto flex shrink-0 items-center gap-1">
        <Button
          onPress={() => onOpen('palette')}
          className="mr-1 flex h-7 cursor-default items-center gap-2 rounded-md border border-line bg-surface px-2 text-sm text-ink-faint hover:border-line-strong max-sm:border-transparent max-sm:bg-transparent"
        >
          <Search size={14} aria-hidden="true" />
          <span className="max-md:sr-only">Search or run a command…</span>
          <span className="font-mono text-xs max-md:hidden" aria-hidden="true">
            {MOD}K
          </span>
        </Button>
        <ThemeMenu />
        <MeMenu />
      </div>
    </header>
  )
}

const ICONS: Record<Theme, ReactNode> = {
  system: <Monitor size={16} />,
  light: <Sun size={16} />,
  dark: <Moon size={16} />,
}

function ThemeMenu() {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <Menu trigger={<IconButton label="Theme" icon={ICONS[theme]} />}>
      {THEMES.map((one) => (
        <MenuItem
          key={one}
          icon={ICONS[one]}
          isChecked={one === theme}
          onAction={() => {
            chooseTheme(one)
            setTheme(one)
          }}
        >
          {THEME_NAMES[one]}
        </MenuItem>
      ))}
    </Menu>
  )
}
