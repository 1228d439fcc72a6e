import type {FlightStatus} from '../../domain/plugins/flight.ts';
import type {SettingValues} from '../../domain/plugins/user-settings.ts';
import {AppError} from '../../failures/app-error.ts';
import {type FlightCommand, readFlight} from '../../protocol/plugin/flight-document.ts';
import {readPlugin, readPluginLogs, readPlugins} from '../../protocol/plugin/plugin-documents.ts';
import {readService} from '../../protocol/service-documents.ts';
import {readDocument} from '../../protocol/text/read-document.ts';
import type {SettingsCall} from '../catalogue/call.ts';
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
    list: () => send('GET', '/api/plugins', readPlugins),
    status: (id: string) => send('GET', about(id), readPlugin),
    logs: (id: string) => send('GET', `${about(id)}/logs`, readPluginLogs),
    /** Reads the data directory; undefined if the store is in memory, or if the caller must not know it. */
    dataDir: async () => (await send('GET', '/api', readService)).dataDir,
    restart: (id: string) => send('POST', `${about(id)}/restart`, readPlugin),
    /** Changes settings. @returns All settings of the plugin. */
    set: (id: string, changes: SettingValues) =>
      send('PUT', `/api/settings/${encodeURIComponent(id)}`, readObject, changes),
    /** Reads the flight. @throws {AppError} `no-flight`. */
    flight: () => send('GET', '/api/flight', readPresentFlight),
    changeFlight: (command: FlightCommand) => send('POST', '/api/flight', readPresentFlight, command),
    stopFlight: async () => void (await send('DELETE', '/api/flight', readFlight)),
  };
}

function readObject(json: string): SettingValues {
  return {...readDocument<object>(json, {})};
}

function readPresentFlight(json: string): FlightStatus {
  const flight = readFlight(json);
  if (flight === undefined) throw new AppError({code: 'no-flight'});
  return flight;
}
