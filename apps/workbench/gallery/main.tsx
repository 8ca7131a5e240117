/** A page with one chart. The view that opens it says which. */
import { Statechart, type StatechartProps } from '@dramaturg/react';
import { createRoot } from 'react-dom/client';
// oxlint-disable-next-line import/no-unassigned-import -- A style sheet exports nothing.
import '@dramaturg/react/styles.css';
// oxlint-disable-next-line import/no-unassigned-import -- The same.
import './gallery.css';

declare global {
  interface Window {
    showChart: (props: StatechartProps) => void;
  }
}

const root = createRoot(document.querySelector('#chart')!);
window.showChart = (props) => root.render(<Statechart {...props} />);
