import type { DrawnEdge, DrawnNode, Drawing } from '@dramaturg/compiler/chart';
import type { Light } from '@dramaturg/drawing';

interface OutlineProps {
  readonly drawing: Drawing;
  readonly lights: ReadonlyMap<string, Light>;
  /** Whether each state also lists where it leads. */
  readonly withTransitions?: boolean;
}

/** A chart as nested lists: on a server, until the layout is ready, and for screen readers. */
export function Outline(props: OutlineProps) {
  return <Level {...props} parent={undefined} />;
}

function Level(props: OutlineProps & { readonly parent: string | undefined }) {
  const { drawing, lights, parent, withTransitions } = props;
  const nodes = drawing.nodes.filter((node) => node.parent === parent && node.kind !== 'anywhere');
  if (nodes.length === 0) return null;
  return (
    <ul className="dg-outline">
      {nodes.map((node) => (
        <li key={node.id} aria-current={isCurrent(lights.get(node.id)) ? 'step' : undefined}>
          {node.name}
          {withTransitions && transitionsOf(node, drawing)}
          <Level {...props} parent={node.id} />
        </li>
      ))}
    </ul>
  );
}

function isCurrent(light: Light | undefined): boolean {
  return light === 'current' || light === 'failed';
}

/** `: to Billing (issue is billing), to End` */
function transitionsOf({ id }: DrawnNode, { nodes, edges }: Drawing): string {
  const leaving = edges.filter(({ source, sources = [source] }) => sources.includes(id));
  const words = leaving.map(({ target, label }: DrawnEdge) => {
    const name = nodes.find((node) => node.id === target)?.name ?? target;
    return `to ${name}${label === '' ? '' : ` (${label})`}`;
  });
  return words.length === 0 ? '' : `: ${words.join(', ')}`;
}
