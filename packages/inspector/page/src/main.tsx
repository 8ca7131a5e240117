import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
// oxlint-disable import/no-unassigned-import -- Importing styles is only an effect.
import '@dramaturg/react/styles.css';
import './styles.css';
// oxlint-enable import/no-unassigned-import
import { App } from './app.tsx';
import { Connection } from './data/connection.ts';

// The token is now in a cookie. It is removed from the address, because histories and screenshots contain addresses.
history.replaceState(null, '', `${location.pathname}${location.hash}`);

const connection = new Connection();
void connection.start();

createRoot(document.querySelector('#root')!, {
  // The page shows the error instead of the panel.
  onCaughtError: () => {},
}).render(
  <StrictMode>
    <App connection={connection} />
  </StrictMode>,
);
