import type { Json } from '@dramaturg/compiler';
import type { Conversation } from '../../service/protocol.ts';
import { timeText } from '../../state/duration.ts';
import { placeOf } from '../../state/place-of.ts';
import { wording } from '../../wording.ts';

/** What the conversation has collected, and what it is. */
export function Collected({ conversation }: { readonly conversation: Conversation }) {
  const { collected = {}, definition, id, createdAt, updatedAt, state } = conversation;
  const place = placeOf(conversation);
  const words = wording.side;
  const values = Object.entries(collected);
  return (
    <>
      {values.length === 0 ? (
        <p className="muted">{words.nothingCollected}</p>
      ) : (
        <dl className="facts">
          {values.map(([key, value]) => (
            <Fact key={key} name={key} value={textOf(value)} />
          ))}
        </dl>
      )}
      <dl className="facts about">
        <Fact name={words.state} value={place === state ? state : `${place} (${state})`} />
        <Fact name={words.definition} value={definition.name} />
        <Fact name={words.id} value={id} />
        <Fact name={words.started} value={timeText(createdAt)} />
        <Fact name={words.changed} value={timeText(updatedAt)} />
      </dl>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
