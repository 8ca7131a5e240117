import type { InspectedEvent } from '@dramaturg/inspector';

/** An event in the SCXML form of XState 4. */
export interface LegacyEvent {
  readonly name: string;
  readonly data: InspectedEvent;
  readonly $$type: 'scxml';
  readonly type: 'external';
  readonly origin?: string;
}

const names: readonly (readonly [RegExp, string])[] = [
  [/^xstate\.done\.actor\.(.*)$/s, 'done.invoke.$1'],
  [/^xstate\.done\.state\.(.*)$/s, 'done.state.$1'],
  [/^xstate\.error\.actor\.(.*)$/s, 'error.platform.$1'],
  [/^xstate\.after\.([^.]*)\.(.*)$/s, 'xstate.after($1)#$2'],
];

/** The XState 4 name of an internal event of XState 5. */
export function legacyEventName(type: string): string {
  for (const [name, legacy] of names) if (name.test(type)) return type.replace(name, legacy);
  return type;
}

export function legacyEvent(event: InspectedEvent, origin?: string): LegacyEvent {
  const name = legacyEventName(event.type);
  return {
    name,
    data: { ...event, type: name },
    $$type: 'scxml',
    type: 'external',
    ...(origin === undefined ? {} : { origin }),
  };
}
