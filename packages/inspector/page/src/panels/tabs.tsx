import { Component, type KeyboardEvent, type ReactNode } from 'react';

export interface Tab {
  readonly id: string;
  readonly name: string;
  readonly badge?: number;
  readonly panel: () => ReactNode;
}

export interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly shown: string;
  readonly onShow: (id: string) => void;
  /** The value that the panels show. */
  readonly of: unknown;
}

/** Tabs; only the shown panel is drawn. */
export function Tabs({ tabs, shown, onShow, of }: TabsProps) {
  const index = tabs.findIndex(({ id }) => id === shown);
  const move = ({ key, currentTarget }: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = (index + step + tabs.length) % tabs.length;
    onShow(tabs[next]!.id);
    (currentTarget.children[next] as HTMLElement).focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label="Details" onKeyDown={move}>
        {tabs.map(({ id, name, badge }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === shown}
            aria-controls="details"
            tabIndex={id === shown ? 0 : -1}
            onClick={() => onShow(id)}
          >
            {name}
            {badge ? <span className="badge">{badge}</span> : null}
          </button>
        ))}
      </div>
      <div className="panel" role="tabpanel" id="details" aria-labelledby={`tab-${shown}`}>
        <Boundary key={shown} of={of}>
          {tabs[index]?.panel()}
        </Boundary>
      </div>
    </>
  );
}

interface BoundaryProps {
  readonly children: ReactNode;
  /** The shown value; when it changes, drawing is tried again. */
  readonly of: unknown;
}

interface BoundaryState {
  readonly problem: string | undefined;
}

/**
 * Shows an error instead of a panel that cannot be drawn. The other panels stay. Needed because the page shows actors of any
 * program with any data.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { problem: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate({ of }: BoundaryProps): void {
    if (this.state.problem !== undefined && of !== this.props.of)
      this.setState({ problem: undefined });
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return <p role="alert">This cannot be shown: {problem}</p>;
  }
}
