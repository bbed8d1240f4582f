package habit

import (
	"slices"
	"strings"
	"time"

	"steady/core"
)

// A region is where help has the same numbers (habits.md §7.4).
type region uint8

const (
	elsewhere region = iota
	korea
	china
	northAmerica
	britishIsles
)

// A help is whom to call in a region. The lines 109 and 12356 were checked against public announcements; whoever opens the bot
// to others checks the numbers of the own region first.
type help struct{ line, emergency core.LocalText }

func same(s string) core.LocalText { return core.LocalText{En: s} }

func helpIn(r region) help {
	switch r {
	case korea:
		return help{core.LocalText{En: "109 (suicide prevention, 24 hours)", Ko: "109 (자살예방 상담전화, 24시간)", Zh: "109（自杀预防热线，24小时）"}, same("119 / 112")}
	case china:
		return help{core.LocalText{En: "12356 (mental health line)", Ko: "12356 (심리 상담 전화)", Zh: "12356（全国心理援助热线）"}, same("120 / 110")}
	case northAmerica:
		return help{same("988"), same("911")}
	case britishIsles:
		return help{same("116 123 (Samaritans)"), same("999 / 112")}
	}
	return help{
		core.LocalText{En: "a local crisis line; findahelpline.com lists them", Ko: "가까운 위기 상담 전화 (findahelpline.com에 목록이 있어요)", Zh: "当地的危机热线（findahelpline.com 有列表）"},
		core.LocalText{En: "112 or the local number", Ko: "112나 현지 긴급 번호", Zh: "112或当地急救电话"},
	}
}

// regionOf returns the region of a zone. A zone that is no place, such as UTC for those who set none, leaves the language to
// guess by; in a crisis a likely number is better than a directory.
func regionOf(zone *time.Location, l core.Lang) region {
	area, place, _ := strings.Cut(zone.String(), "/")
	switch {
	case area == "Asia" && place == "Seoul" || area == "ROK":
		return korea
	case area == "Asia" && slices.Contains([]string{"Shanghai", "Urumqi", "Chongqing", "Chungking", "Harbin", "Kashgar"}, place) || area == "PRC":
		return china
	case area == "US" || area == "Canada" || area == "America" && northAmerican(place) || area == "Pacific" && place == "Honolulu":
		return northAmerica
	case area == "Europe" && slices.Contains([]string{"London", "Dublin", "Belfast", "Guernsey", "Jersey", "Isle_of_Man"}, place) || area == "GB" || area == "GB-Eire" || area == "Eire":
		return britishIsles
	case place != "" && area != "Etc":
		return elsewhere
	case l == core.Ko:
		return korea
	case l == core.Zh:
		return china
	}
	return elsewhere
}

// northAmerican tells whether a zone of America lies in the United States or in Canada.
func northAmerican(place string) bool {
	state, _, nested := strings.Cut(place, "/")
	if nested {
		return state == "Indiana" || state == "Kentucky" || state == "North_Dakota"
	}
	return slices.Contains(strings.Fields(`Adak Anchorage Atka Boise Chicago Denver Detroit Fort_Wayne Indianapolis Juneau Knox_IN
		Los_Angeles Louisville Menominee Metlakatla New_York Nome Phoenix Shiprock Sitka Yakutat
		Atikokan Blanc-Sablon Cambridge_Bay Coral_Harbour Creston Dawson Dawson_Creek Edmonton Fort_Nelson Glace_Bay Goose_Bay
		Halifax Inuvik Iqaluit Moncton Montreal Nipigon Pangnirtung Rainy_River Rankin_Inlet Regina Resolute St_Johns
		Swift_Current Thunder_Bay Toronto Vancouver Whitehorse Winnipeg Yellowknife`), place)
}
