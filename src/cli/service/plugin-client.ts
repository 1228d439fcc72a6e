import type {FlightChange, FlightOptions, FlightStatus} from '../../core/domain/plugins/flight.ts';
import type {PluginLogLine, PluginStatus} from '../../core/domain/plugins/plugin.ts';
import type {SettingValues} from '../../core/domain/plugins/user-settings.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {readFlight} from '../../core/protocol/plugin/flight-tracking.ts';
import type {PluginList, ServiceDocument} from '../../core/protocol/service-documents.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {readDocument} from '../../core/protocol/text/times.ts';
import type {SettingsCall} from '../catalogue/commands.ts';
import {type ConnectOptions, connect} from './connection.ts';

/** Plugins and the simulated flight of a running service. Each method throws what the service threw. */
export type PluginClient = Awaited<ReturnType<typeof connectPlugins>>;

/** Creates a client of the plugins of the service that the settings of a call name. Sends nothing yet. */
export async function connectPlugins(call: SettingsCall, options: ConnectOptions = {}) {
  const {url, send} = await connect(call, options);
  const about = (id: string): string => `/api/plugins/${encodeURIComponent(id)}`;
  return {
    /** Address of the service. */
    url,
    list: () => send('GET', '/api/plugins', readDocument<PluginList>),
    status: (id: string) => send('GET', about(id), readDocument<PluginStatus>),
    logs: async (id: string) =>
      (await send('GET', `${about(id)}/logs`, readDocument<{readonly lines: readonly PluginLogLine[]}>)).lines,
    /** Reads the data directory; undefined if the store is in memory, or if the caller must not know it. */
    dataDir: async () => (await send('GET', '/api', parseDocument<ServiceDocument>)).dataDir,
    restart: (id: string) => send('POST', `${about(id)}/restart`, readDocument<PluginStatus>),
    /** Changes settings. @returns All settings of the plugin. */
    set: (id: string, changes: SettingValues) =>
      send('PUT', `/api/settings/${encodeURIComponent(id)}`, parseDocument<SettingValues>, changes),
    /** Reads the flight. @throws {AppError} `no-flight`. */
    flight: () => send('GET', '/api/flight', readFlight).then(present),
    startFlight: (options: FlightOptions) => send('POST', '/api/flight', readFlight, options).then(present),
    changeFlight: (change: FlightChange) => send('PATCH', '/api/flight', readFlight, change).then(present),
    stopFlight: async () => void (await send('DELETE', '/api/flight', readFlight)),
  };
}

function present(flight: FlightStatus | undefined): FlightStatus {
  if (flight === undefined) throw new AppError({code: 'no-flight'});
  return flight;
}
