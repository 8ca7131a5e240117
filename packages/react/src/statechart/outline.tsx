import type { Drawing } from '@dramaturg/compiler';
import type { Light } from './lit.ts';

interface OutlineProps {
  readonly drawing: Drawing;
  readonly lights: ReadonlyMap<string, Light>;
}

/** A chart as nested lists, rendered on a server and until the layout is ready. */
export function Outline({ drawing, lights }: OutlineProps) {
  return <Level drawing={drawing} lights={lights} parent={undefined} />;
}

function Level({
  drawing,
  lights,
  parent,
}: OutlineProps & { readonly parent: string | undefined }) {
  const nodes = drawing.nodes.filter((node) => node.parent === parent && node.kind !== 'anywhere');
  if (nodes.length === 0) return null;
  return (
    <ul className="dg-outline">
      {nodes.map(({ id, name }) => (
        <li key={id} aria-current={lights.get(id) === 'current' ? 'step' : undefined}>
          {name}
          <Level drawing={drawing} lights={lights} parent={id} />
        </li>
      ))}
    </ul>
  );
}
