import type { OpenDecision } from '@dramaturg/host';
import { useRef } from 'react';
import type { DecisionItem, Operator } from '../../service/protocol.ts';
import type { Route } from '../../state/route.ts';
import { useLive } from '../../state/use-live.ts';
import { useNow } from '../../state/use-now.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { useShortcuts } from '../use-shortcuts.ts';
import { ViewHeader } from '../view-header.tsx';
import { Deadline, DecisionCard } from './decision-card.tsx';

interface DecisionInboxProps {
  readonly route: Route;
  readonly go: (route: Route, how?: 'push' | 'replace') => void;
  readonly onMenu: () => void;
}

const decisionsMax = 200;

/** The open decisions, the nearest deadline first, with the form of one of them. */
export function DecisionInbox({ route, go, onMenu }: DecisionInboxProps) {
  const { client, live, me } = useDesk();
  const now = useNow(1_000);
  const { value, error, reload } = useLive(
    live,
    'decisions',
    async (signal) => byDeadline((await client.decisions({ limit: decisionsMax }, signal)).items),
    { pauseMs: 700 },
  );
  const list = useRef<HTMLUListElement>(null);
  const words = wording.decisions;
  const items = value ?? [];
  const at = items.findIndex(({ decision }) => decision === route.decision);
  const open = (decision: string | undefined) => {
    const { decision: _before, ...rest } = route;
    go({ ...rest, ...(decision !== undefined && { decision }) });
  };
  const move = (by: number) => {
    const to = at === -1 ? 0 : Math.min(items.length - 1, Math.max(0, at + by));
    open(items[to]?.decision);
    list.current?.querySelectorAll<HTMLElement>('button')[to]?.focus();
  };
  useShortcuts(
    {
      j: () => move(1),
      k: () => move(-1),
      Escape: route.decision ? () => open(undefined) : undefined,
    },
    true,
  );
  return (
    <div className="inbox decisions" data-open={route.decision !== undefined || undefined}>
      <section className="list-pane" aria-label={words.label}>
        <ViewHeader title={wording.queues.decisions} onMenu={onMenu} />
        {error !== undefined && <Problem error={error} onRetry={reload} />}
        {value?.length === 0 && <p className="list-foot">{words.empty}</p>}
        <ul className="decision-list" ref={list}>
          {items.map((item) => (
            <li key={item.decision}>
              <button
                type="button"
                aria-current={item.decision === route.decision || undefined}
                onClick={() => open(item.decision)}
                onKeyDown={(event) => {
                  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
                  if (step === undefined) return;
                  event.preventDefault();
                  move(step);
                }}
              >
                <span className="decision-prompt">{item.prompt}</span>
                <span className="muted">
                  {item.definition.name}
                  {maybeDecidedBy(item, me) && <b> · {words.forYou}</b>}
                </span>
                <Deadline until={item.until} now={now} />
              </button>
            </li>
          ))}
        </ul>
        <p className="list-foot">
          <button
            type="button"
            onClick={() => go({ view: 'queue', filter: { queue: 'decisions' } })}
          >
            {words.queue}
          </button>
        </p>
      </section>
      {route.decision === undefined ? (
        <div className="conversation-none">
          <p>{items.length === 0 && value ? words.empty : words.none}</p>
        </div>
      ) : (
        <section className="conversation" aria-label={words.one}>
          <DecisionCard
            key={route.decision}
            decision={route.decision}
            onOpen={(conversation) => go({ view: 'queue', filter: { queue: 'all' }, conversation })}
            onBack={() => open(undefined)}
          />
        </section>
      )}
    </div>
  );
}

function byDeadline(items: readonly DecisionItem[]): readonly DecisionItem[] {
  return items.toSorted((one, other) => (one.until ?? Infinity) - (other.until ?? Infinity) || 0);
}

/** Whether a decision is meant for an operator, by name or by role. The service has the final check. */
function maybeDecidedBy({ approvers, excluded = [] }: OpenDecision, me: Operator): boolean {
  if (excluded.some(({ name }) => name.toLowerCase() === me.name.toLowerCase())) return false;
  return (
    approvers !== undefined &&
    (approvers.users.some((name) => name.toLowerCase() === me.name.toLowerCase()) ||
      approvers.roles.some((role) => me.roles.includes(role)))
  );
}
