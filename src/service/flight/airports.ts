import type {Airport} from '../../core/domain/plugins/flight.ts';

/** Airports that a simulated flight can connect, by their codes. */
export const AIRPORTS: ReadonlyMap<string, Airport> = new Map(
  [
    airport('CYYZ', 'Toronto Pearson', [43.677, -79.631, 569]),
    airport('EBBR', 'Brussels', [50.901, 4.484, 184]),
    airport('EDDB', 'Berlin Brandenburg', [52.362, 13.501, 157]),
    airport('EDDF', 'Frankfurt', [50.033, 8.571, 364]),
    airport('EDDM', 'Munich', [48.354, 11.786, 1487]),
    airport('EGLL', 'London Heathrow', [51.471, -0.462, 83]),
    airport('EHAM', 'Amsterdam Schiphol', [52.308, 4.764, -11]),
    airport('EIDW', 'Dublin', [53.421, -6.27, 242]),
    airport('EKCH', 'Copenhagen', [55.618, 12.656, 17]),
    airport('ENGM', 'Oslo Gardermoen', [60.194, 11.1, 681]),
    airport('FACT', 'Cape Town', [-33.965, 18.602, 151]),
    airport('GCLP', 'Gran Canaria', [27.932, -15.387, 78]),
    airport('HECA', 'Cairo', [30.122, 31.406, 382]),
    airport('KJFK', 'New York John F. Kennedy', [40.64, -73.779, 13]),
    airport('KLAX', 'Los Angeles', [33.943, -118.408, 128]),
    airport('KORD', 'Chicago O’Hare', [41.979, -87.905, 680]),
    airport('LEBL', 'Barcelona', [41.297, 2.078, 12]),
    airport('LEMD', 'Madrid Barajas', [40.472, -3.561, 1998]),
    airport('LFPG', 'Paris Charles de Gaulle', [49.013, 2.55, 392]),
    airport('LGAV', 'Athens', [37.936, 23.944, 308]),
    airport('LIRF', 'Rome Fiumicino', [41.8, 12.239, 13]),
    airport('LOWW', 'Vienna', [48.11, 16.57, 600]),
    airport('LPMA', 'Madeira', [32.698, -16.774, 192]),
    airport('LPPT', 'Lisbon', [38.774, -9.134, 374]),
    airport('LSZH', 'Zurich', [47.465, 8.549, 1416]),
    airport('LTFM', 'Istanbul', [41.262, 28.742, 325]),
    airport('NZAA', 'Auckland', [-37.008, 174.792, 23]),
    airport('OMDB', 'Dubai', [25.253, 55.364, 62]),
    airport('RJTT', 'Tokyo Haneda', [35.552, 139.78, 35]),
    airport('SBGR', 'São Paulo Guarulhos', [-23.432, -46.47, 2461]),
    airport('VHHH', 'Hong Kong', [22.309, 113.915, 28]),
    airport('WSSS', 'Singapore Changi', [1.35, 103.994, 22]),
    airport('YSSY', 'Sydney', [-33.946, 151.177, 21]),
  ].map(each => [each.code, each]),
);

/** Describes an airport. @param place Latitude, longitude, and elevation in feet. */
function airport(
  code: string,
  name: string,
  [latitude, longitude, elevationFeet]: readonly [number, number, number],
): Airport {
  return {code, name, latitude, longitude, elevationFeet};
}
