package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"steady/core"
)

// What is wrong with arguments, as one sentence that says what to do. %[1]s is the argument, the rest is by text.
var (
	textObject   = core.LocalText{En: "Give the arguments as one JSON object.", Ko: "인자를 JSON 객체 하나로 주세요.", Zh: "请以一个JSON对象提供参数。"}
	textMissing  = core.LocalText{En: "Give “%[1]s” too; it is required.", Ko: "“%[1]s”도 필요해요. 넣어 주세요.", Zh: "还需要提供“%[1]s”。"}
	textType     = core.LocalText{En: "Give “%[1]s” as %[2]s.", Ko: "“%[1]s” 값은 %[2]s 형식으로 주세요.", Zh: "“%[1]s”请用%[2]s类型。"}
	textEnum     = core.LocalText{En: "“%[1]s” must be one of: %[2]s.", Ko: "“%[1]s” 값은 다음 중 하나여야 해요: %[2]s.", Zh: "“%[1]s”必须是以下之一:%[2]s。"}
	textShort    = core.LocalText{En: "Give “%[1]s” at least %[2]v characters.", Ko: "“%[1]s”은(는) %[2]v자 이상으로 써 주세요.", Zh: "“%[1]s”请至少写%[2]v个字符。"}
	textLong     = core.LocalText{En: "Give “%[1]s” at most %[2]v characters.", Ko: "“%[1]s”은(는) %[2]v자까지예요.", Zh: "“%[1]s”最多%[2]v个字符。"}
	textLow      = core.LocalText{En: "“%[1]s” must be at least %[2]v.", Ko: "“%[1]s” 값은 %[2]v 이상이어야 해요.", Zh: "“%[1]s”不能小于%[2]v。"}
	textHigh     = core.LocalText{En: "“%[1]s” must be at most %[2]v.", Ko: "“%[1]s” 값은 %[2]v 이하여야 해요.", Zh: "“%[1]s”不能大于%[2]v。"}
	textFew      = core.LocalText{En: "Give “%[1]s” at least %[2]v items.", Ko: "“%[1]s”에는 %[2]v개 이상 넣어 주세요.", Zh: "“%[1]s”至少需要%[2]v项。"}
	textMany     = core.LocalText{En: "Give “%[1]s” at most %[2]v items.", Ko: "“%[1]s”에는 %[2]v개까지 넣을 수 있어요.", Zh: "“%[1]s”最多%[2]v项。"}
	textRepeated = core.LocalText{En: "Give each item of “%[1]s” only once.", Ko: "“%[1]s”의 항목은 한 번씩만 넣어 주세요.", Zh: "“%[1]s”中的每一项只能出现一次。"}
	textOther    = core.LocalText{En: "Give “%[1]s” as the tool describes it.", Ko: "“%[1]s” 값을 도구 설명대로 주세요.", Zh: "“%[1]s”请按工具说明提供。"}
)

func refusal(l core.Lang, argument string, text core.LocalText, more ...any) error {
	reason := text.In(l)
	if strings.Contains(reason, "%") {
		reason = fmt.Sprintf(reason, append([]any{argument}, more...)...)
	}
	return &core.ToolError{Code: "validation", Reason: reason}
}

// explain makes a refusal of one thing that a schema found wrong: the first by the name of the argument.
func explain(l core.Lang, err error) error {
	var whole *jsonschema.ValidationError
	if !errors.As(err, &whole) {
		return refusal(l, "", textObject)
	}
	e := slices.MinFunc(leaves(whole), func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})
	name := strings.Join(e.InstanceLocation, ".")
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return refusal(l, strings.Join(k.Missing, "”, “"), textMissing)
	case *kind.Type:
		if name == "" {
			return refusal(l, "", textObject)
		}
		return refusal(l, name, textType, strings.Join(k.Want, " / "))
	case *kind.Enum:
		return refusal(l, name, textEnum, words(k.Want))
	case *kind.MinLength:
		return refusal(l, name, textShort, k.Want)
	case *kind.MaxLength:
		return refusal(l, name, textLong, k.Want)
	case *kind.Minimum:
		return refusal(l, name, textLow, k.Want.RatString())
	case *kind.Maximum:
		return refusal(l, name, textHigh, k.Want.RatString())
	case *kind.MinItems:
		return refusal(l, name, textFew, k.Want)
	case *kind.MaxItems:
		return refusal(l, name, textMany, k.Want)
	case *kind.UniqueItems:
		return refusal(l, name, textRepeated)
	}
	return refusal(l, name, textOther)
}

// leaves returns the errors that have no further cause; there is at least one.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

func words(values []any) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, ", ")
}
