import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { InspectorEvent } from '../../../src/events.ts';
import type { RecordedActor } from '../../../src/recording.ts';
import { actorTitle, isSupervisor } from '../data/actor-names.ts';
import type { Actors, Playback } from '../data/playback.ts';
import { momentWith, type View } from '../use-view.ts';
import { shortText, timeText } from '../value-text.ts';

const rowHeight = 24;
const headHeight = 30;
/** The maximum width of a lifeline, in pixels. */
const widestLane = 200;
const narrowestLane = 88;
const timeWidth = 92;
/** Room for the labels of the last lifeline. */
const labelRoom = 56;
const mostLanes = 14;

/** A column of the diagram: an actor that sends or receives events. */
interface Lane {
  readonly id: string;
  readonly name: string;
}

interface Row {
  readonly index: number;
  readonly event: InspectorEvent;
  readonly from: number;
  readonly to: number;
  /** The port, if one end of the arrow makes a call. */
  readonly port?: string;
}

const outside: Lane = { id: 'outside', name: 'outside' };

/** Events between actors, from the top down, with a lifeline for each actor. Only visible rows are drawn. */
export function Sequence({ view, playback }: { readonly view: View; readonly playback: Playback }) {
  const { count, moment, isFollowing } = view;
  const { events } = playback;
  // Includes events after the shown moment, for the rows below it.
  const rows = useMemo(
    () => rowsOf(events, playback.actorsAfter(events.length)),
    [events, events.length, playback],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 400, width: 800 });
  const end = rows.list.findLastIndex(({ index }) => index < count);

  useEffect(() => {
    const { current } = scroller;
    if (!current) return undefined;
    const observer = new ResizeObserver(() =>
      setSight({
        top: current.scrollTop,
        height: current.clientHeight,
        width: current.clientWidth,
      }),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const { current } = scroller;
    if (!current || end < 0) return;
    const bottom = (end + 1) * rowHeight + headHeight;
    if (isFollowing) current.scrollTop = current.scrollHeight;
    else if (
      bottom > current.scrollTop + current.clientHeight ||
      bottom - rowHeight < current.scrollTop + headHeight
    )
      current.scrollTop = bottom - current.clientHeight / 2;
  }, [end, isFollowing]);

  const first = Math.max(0, Math.floor(sight.top / rowHeight) - 10);
  const shown = rows.list.slice(first, first + Math.ceil(sight.height / rowHeight) + 20);
  const room = (sight.width - timeWidth - labelRoom) / rows.lanes.length;
  const laneWidth = Math.min(widestLane, Math.max(narrowestLane, room));
  const width = rows.lanes.length * laneWidth + timeWidth + labelRoom;
  const laneAt = (index: number) => timeWidth + (index + 0.5) * laneWidth;
  return (
    <section className="sequence" aria-label="Events between actors">
      <div
        className="sequence-scroll"
        ref={scroller}
        tabIndex={0}
        aria-label="Sequence of events"
        onScroll={({ currentTarget }) =>
          setSight({
            top: currentTarget.scrollTop,
            height: currentTarget.clientHeight,
            width: currentTarget.clientWidth,
          })
        }
      >
        <div className="lanes" style={{ width }}>
          {rows.lanes.map((lane, index) => (
            <span
              key={lane.id}
              style={{ left: laneAt(index) - laneWidth / 2, width: laneWidth }}
              title={lane.name}
            >
              {lane.name}
            </span>
          ))}
        </div>
        <div className="rows" style={{ height: rows.list.length * rowHeight, width }}>
          {rows.lanes.map((lane, index) => (
            <i key={lane.id} className="life" style={{ left: laneAt(index) }} />
          ))}
          {shown.map((row, place) => (
            <EventRow
              key={row.event.id}
              row={row}
              top={(first + place) * rowHeight}
              fromX={laneAt(row.from)}
              toX={laneAt(row.to)}
              isPast={row.index < count}
              isNow={moment !== undefined && row.index >= moment.from && row.index < moment.to}
              onPick={() => view.go(momentWith(view.moments, row.index))}
            />
          ))}
        </div>
      </div>
      {events.length === 0 && <p className="dg-empty">No events yet.</p>}
    </section>
  );
}

interface EventRowProps {
  readonly row: Row;
  readonly top: number;
  readonly fromX: number;
  readonly toX: number;
  readonly isPast: boolean;
  readonly isNow: boolean;
  readonly onPick: () => void;
}

const EventRow = memo(
  function EventRow({ row, top, fromX, toX, isPast, isNow, onPick }: EventRowProps) {
    const { event, from, to } = row;
    const { type, ...fields } = 'event' in event ? event.event : { type: event.type };
    const [left, right] = [Math.min(fromX, toX), Math.max(fromX, toX)];
    const word = wordOf(type, event, row.port);
    const isTold = event.type === '@dramaturg.emitted';
    return (
      <button
        type="button"
        tabIndex={-1}
        className="event"
        data-past={isPast || undefined}
        data-now={isNow || undefined}
        style={{ top }}
        title={`${type} ${shortText(fields, 400)}`}
        onClick={onPick}
      >
        <time>{timeText(Number(event.createdAt))}</time>
        {isTold ? (
          <em style={{ left: left + 8 }}>{word}</em>
        ) : (
          <>
            <i
              className="arrow"
              data-way={from === to ? 'self' : from < to ? 'right' : 'left'}
              style={{ left, width: Math.max(right - left, 14) }}
            />
            <b style={from === to ? { left: left + 20 } : { left, width: right - left }}>{word}</b>
          </>
        )}
      </button>
    );
  },
  (one, other) =>
    one.row.event === other.row.event &&
    one.row.from === other.row.from &&
    one.row.to === other.row.to &&
    one.top === other.top &&
    one.fromX === other.fromX &&
    one.toX === other.toX &&
    one.isPast === other.isPast &&
    one.isNow === other.isNow,
);

/** The word for an event. XState's own events and entered states get other words; the title has their names. */
function wordOf(type: string, event: InspectorEvent, port: string | undefined): string {
  if (event.type === '@dramaturg.emitted' && type === 'state.entered')
    return `→ ${String(event.event['title'] ?? event.event['state'])}`;
  if (event.type !== '@xstate.event') return type;
  const words = port === undefined ? '' : `${port} `;
  if (type === 'xstate.init') return port === undefined ? 'starts' : `asks ${port}`;
  if (type === 'xstate.stop') return port === undefined ? 'stops' : `gives up ${port}`;
  if (type.startsWith('xstate.done.actor.'))
    return port === undefined ? 'is done' : `${words}answers`;
  if (type.startsWith('xstate.error.actor.')) return `${words}fails`;
  if (type === 'call.answered' || type === 'port.answered') return `${words}answer`;
  if (type === 'call.failed' || type === 'port.failed') return `${words}failure`;
  return type;
}

/** All calls share a lane, and so do the items of a Map; surplus actors share the last lane. */
function rowsOf(
  events: readonly InspectorEvent[],
  actors: Actors,
): { readonly lanes: readonly Lane[]; readonly list: readonly Row[] } {
  const lanes: Lane[] = [outside];
  const places = new Map<string, number>([[outside.id, 0]]);
  /** Caches the lane of each actor, because the search in charts takes time. */
  const lanesOf = new Map<string, number>();
  const laneOf = (sessionId: string | undefined): number => {
    if (sessionId === undefined) return 0;
    const known = lanesOf.get(sessionId);
    if (known !== undefined) return known;
    const actor = actors.get(sessionId);
    if (!actor) return 0;
    const place = placeOf(actor);
    lanesOf.set(sessionId, place);
    return place;
  };
  const placeOf = (actor: RecordedActor): number => {
    const caller = actors.get(actor.parentId ?? '');
    const isItem = caller !== undefined && !actor.call && isSupervisor(caller, actors);
    const id = actor.call ? 'calls' : isItem ? `items of ${caller.sessionId}` : actor.sessionId;
    const known = places.get(id);
    if (known !== undefined) return known;
    const name = actor.call ? 'calls' : isItem ? 'items' : actorTitle(actor, actors);
    if (lanes.length < mostLanes) lanes.push({ id, name });
    else lanes[mostLanes - 1] = { id: 'others', name: 'others' };
    const place = Math.min(lanes.length, mostLanes) - 1;
    places.set(id, place);
    return place;
  };
  const list: Row[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type === '@xstate.event') {
      const to = laneOf(event.sessionId);
      const ends = [actors.get(event.sessionId), actors.get(event.sourceId ?? '')];
      const port = ends.find((actor) => actor?.call !== undefined)?.call?.port;
      list.push({ index, event, from: laneOf(event.sourceId), to, ...(port ? { port } : {}) });
    } else if (event.type === '@dramaturg.emitted') {
      const place = laneOf(event.sessionId);
      list.push({ index, event, from: place, to: place });
    }
  }
  return { lanes, list };
}
