import { wording } from '../../wording.ts';
import type { Notifications } from '../use-notifications.ts';
import { type Theme, themes } from '../use-theme.ts';

export interface SettingsProps {
  readonly theme: { readonly theme: Theme; readonly setTheme: (theme: Theme) => void };
  readonly shortcuts: 'on' | 'off';
  readonly setShortcuts: (shortcuts: 'on' | 'off') => void;
  readonly notifications: Notifications;
}

/** Colours, keys and notifications, stored in this browser. */
export function Settings({ theme, shortcuts, setShortcuts, notifications }: SettingsProps) {
  const words = wording.rail;
  const { permission, ask, sound, setSound } = notifications;
  return (
    <details className="settings">
      <summary>{words.settings}</summary>
      <label>
        {words.theme}
        <select
          value={theme.theme}
          onChange={({ target }) => theme.setTheme(target.value as Theme)}
        >
          {themes.map((each) => (
            <option key={each} value={each}>
              {words.themes[each]}
            </option>
          ))}
        </select>
      </label>
      <OnOff label={words.shortcuts} value={shortcuts} onChange={setShortcuts} />
      <OnOff label={words.sound} value={sound} onChange={setSound} />
      {permission === 'default' && (
        <button type="button" onClick={ask}>
          {words.notify}
        </button>
      )}
      {permission !== 'default' && (
        <p className="muted">{permission === 'granted' ? words.notifying : words.notifyDenied}</p>
      )}
    </details>
  );
}

interface OnOffProps {
  readonly label: string;
  readonly value: 'on' | 'off';
  readonly onChange: (value: 'on' | 'off') => void;
}

function OnOff({ label, value, onChange }: OnOffProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={value === 'on'}
        onChange={({ target }) => onChange(target.checked ? 'on' : 'off')}
      />
      {label}
    </label>
  );
}
