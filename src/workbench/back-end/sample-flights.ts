import {type JsonMembers, membersOf} from '../../core/json/members.ts';
import type {BackEndData} from './back-end-data.ts';
import {Refusal} from './back-end-request.ts';

/** A flight that a pilot has booked. */
interface Booking {
  readonly bidID: number;
  readonly pilot: string;
  readonly flight: JsonMembers;
}

/** Flights and bookings of a back end, in memory. */
export class SampleFlights {
  readonly #flights: readonly JsonMembers[];
  readonly #airline: JsonMembers;
  #bookings: readonly Booking[] = [];
  #lastBid = 0;
  #lastCharter = 9000;

  /** Flights of tours and events, which other routes answer, and which can be booked too. */
  readonly #others: readonly JsonMembers[];

  constructor({flights, bookings, airline, answers}: BackEndData) {
    this.#flights = flights;
    this.#others = OTHER_FLIGHTS.flatMap(route => (Array.isArray(answers[route]) ? answers[route].map(membersOf) : []));
    this.#airline = airline;
    for (const {pilot, flightID} of bookings) this.book(pilot, flightID);
  }

  /** Returns the flights that fit the parameters of a search. */
  search(query: Readonly<Record<string, string>>): readonly JsonMembers[] {
    return this.#flights.filter(flight => FILTERS.every(filter => filter(flight, query)));
  }

  /** Returns the flights that a pilot has booked, with their `bidID`. */
  bookings(pilot: string): readonly JsonMembers[] {
    return this.#bookings.filter(booking => booking.pilot === pilot).map(({bidID, flight}) => ({...flight, bidID}));
  }

  /**
   * Books a flight. Booked twice it is one booking. A booking has one aircraft: the chosen one, or the first of the flight.
   *
   * @param flightID Its id, or `source-id-aircraft`, as a published page sends it.
   * @throws {Refusal}
   */
  book(pilot: string, flightID: unknown): JsonMembers {
    const [, id = String(flightID), chosen] = /^[a-z]+-(.+)-(\w+)$/.exec(String(flightID)) ?? [];
    const flight = [...this.#flights, ...this.#others].find(each => String(each['id']) === id);
    if (flight === undefined) throw new Refusal(404, `There is no flight ${String(flightID)}`);
    const booked = this.#bookings.find(booking => booking.pilot === pilot && booking.flight['id'] === flight['id']);
    if (booked !== undefined) return {bidID: booked.bidID};
    const aircraft: readonly unknown[] = [flight['aircraft']].flat();
    return this.#add(pilot, {...flight, aircraft: aircraft.find(each => String(each) === chosen) ?? aircraft[0]});
  }

  /** Ends a booking of a pilot. @throws {Refusal} */
  unbook(pilot: string, bidID: unknown): JsonMembers {
    const isMeant = (booking: Booking): boolean => booking.pilot === pilot && String(booking.bidID) === String(bidID);
    if (!this.#bookings.some(isMeant)) throw new Refusal(404, `There is no booking ${String(bidID)}`);
    this.#bookings = this.#bookings.filter(booking => !isMeant(booking));
    return {};
  }

  /** Makes a flight for one pilot, and books it. @throws {Refusal} */
  charter(pilot: string, given: JsonMembers): JsonMembers {
    for (const name of ['number', 'departure', 'arrival'])
      if (given[name] === undefined || given[name] === '') throw new Refusal(400, `The member "${name}" is missing`);
    this.#lastCharter++;
    const settings = Object(this.#airline['settings']) as JsonMembers;
    return this.#add(pilot, {
      id: this.#lastCharter,
      code: settings['airlineICAO'] ?? '',
      number: given['number'],
      departureAirport: given['departure'],
      arrivalAirport: given['arrival'],
      aircraft: given['aircraft'],
      flightLevel: given['cruise'],
      distance: 0,
      departureTime: given['departureTime'],
      arrivalTime: given['arrivalTime'],
      flightTime: 0,
      route: Array.isArray(given['route']) ? given['route'] : [],
      type: given['type'] ?? 'P',
      notes: 'Charter',
    });
  }

  #add(pilot: string, flight: JsonMembers): JsonMembers {
    this.#lastBid++;
    this.#bookings = [...this.#bookings, {bidID: this.#lastBid, pilot, flight}];
    return {bidID: this.#lastBid};
  }
}

/** Routes with flights that are no part of the schedule. */
const OTHER_FLIGHTS = ['GET flights/searchTours', 'GET flights/searchEvents'] as const;

type Filter = (flight: JsonMembers, query: Readonly<Record<string, string>>) => boolean;

/** Filters of a search, each of which lets everything through without its parameter. */
const FILTERS: readonly Filter[] = [
  beginsWith('departureAirport', 'departureAirport'),
  beginsWith('arrivalAirport', 'arrivalAirport'),
  (flight, {callsign = ''}) => `${String(flight['code'])}${String(flight['number'])}`.includes(callsign.toUpperCase()),
  (flight, {aircraft}) => aircraft === undefined || [flight['aircraft']].flat().map(String).includes(aircraft),
  isWithin('distance', 'minimumDistance', 'maximumDistance'),
  isWithin('flightTime', 'minimumFlightTime', 'maximumFlightTime'),
];

function beginsWith(member: string, parameter: string): Filter {
  return (flight, query) => String(flight[member]).startsWith((query[parameter] ?? '').toUpperCase());
}

function isWithin(member: string, from: string, to: string): Filter {
  return (flight, query) => {
    const value = Number(flight[member]);
    return value >= Number(query[from] ?? 0) && value <= Number(query[to] ?? Number.POSITIVE_INFINITY);
  };
}
