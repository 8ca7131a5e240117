import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  readonly children: ReactNode;
  /** The shown value; when it changes, drawing is tried again. */
  readonly of: unknown;
}

interface BoundaryState {
  readonly problem: string | undefined;
}

/**
 * Shows an error in place of a panel that cannot be drawn; the other panels stay. Actors of any program, with any data,
 * are shown here.
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
